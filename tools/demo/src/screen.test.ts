import { describe, expect, it } from 'vitest';
import { Screen, seconds } from './screen.ts';

function output(terminal?: { columns: number }) {
	let text = '';
	return {
		...(terminal && { isTTY: true, ...terminal }),
		write: (chunk: string) => void (text += chunk),
		text: () => text,
	};
}

function clock() {
	let now = 0;
	return { now: () => now, pass: (ms: number) => void (now += ms) };
}

describe('in a pipe', () => {
	it('no escape code is ever written', async () => {
		const { now, pass } = clock();
		const pipe = output();
		const screen = new Screen(pipe, { now });
		screen.headline('1. A thing');
		screen.print('line', '');
		screen.aside('said');
		await screen.step(
			'Doing',
			async () => pass(1500),
			() => 'done it',
		);
		const line = screen.liveLine();
		for (const count of [1, 2, 3, 4, 5]) {
			pass(900);
			line.update(`${count} of 5`);
		}
		line.end('5 of 5, all');
		expect(pipe.text()).toBe('\n1. A thing\n  line\n\n  said\n  done it (1.5 s)\n  3 of 5\n  5 of 5, all\n');
	});
	it('an aside that is long goes on in the next line, at a blank', () => {
		const pipe = output();
		new Screen(pipe).aside(`${'word '.repeat(30)}end`, '', 'short');
		expect(pipe.text()).toBe(`  ${'word '.repeat(23).trim()}\n  ${'word '.repeat(7)}end\n\n  short\n`);
	});
});

describe('in a terminal', () => {
	it('the live line is rewritten, fits, and its end stays', () => {
		const { now, pass } = clock();
		const terminal = output({ columns: 10 });
		const line = new Screen(terminal, { now }).liveLine();
		pass(100);
		line.update('1 of 5 answered');
		line.update('2 of 5 answered'); // at once: too soon to be read
		pass(100);
		line.update('3 of 5 answered');
		line.end('5 of 5');
		expect(terminal.text()).toBe('\r\x1b[K  1 of 5 \r\x1b[K  3 of 5 \r\x1b[K  5 of 5\n');
	});
	it('headlines have weight, unless colour is not wanted', () => {
		const styled = output({ columns: 80 });
		new Screen(styled).headline('A');
		expect(styled.text()).toBe('\n\x1b[1mA\x1b[0m\n');
		const plain = output({ columns: 80 });
		new Screen(plain, { colour: false }).headline('A');
		expect(plain.text()).toBe('\nA\n');
	});
});

it('a step that fails says no result', async () => {
	const pipe = output();
	const failing = new Screen(pipe).step(
		'Doing',
		() => Promise.reject(new Error('no')),
		() => 'done it',
	);
	await expect(failing).rejects.toThrow('no');
	expect(pipe.text()).toBe('');
});

it('nothing is said once it is closed', () => {
	const pipe = output();
	const screen = new Screen(pipe);
	const line = screen.liveLine();
	screen.print('last words');
	screen.close();
	line.end('too late');
	screen.headline('too late');
	expect(pipe.text()).toBe('  last words\n');
});

it('seconds have one digit', () => {
	expect([0, 49, 51, 12_345].map(seconds)).toEqual(['0.0 s', '0.0 s', '0.1 s', '12.3 s']);
});
