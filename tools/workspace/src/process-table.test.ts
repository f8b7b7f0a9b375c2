import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandLineOf, lookUp, lookUpWithPs, sessionOf, sessionWithPs } from './process-table.mjs';

const MODULE = new URL('./process-table.mjs', import.meta.url).href;
const NO_SUCH_PID = 2 ** 30;

function start(program: string, args: string[], options = {}): ChildProcess {
	const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
	onTestFinished(() => void child.kill('SIGKILL'));
	return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
	const [line] = (await once(child.stdout!, 'data')) as [Buffer];
	return String(line).trim();
}

describe.each([
	{ with: 'what there is', look: lookUp, session: sessionOf },
	{ with: 'ps', look: lookUpWithPs, session: sessionWithPs },
])('with $with', ({ look, session }) => {
	it('a process is found with its parent and its group', () => {
		const child = start('sleep', ['1000'], { detached: true });
		expect(look(child.pid!)).toMatchObject({ pid: child.pid, parent: process.pid, group: child.pid });
	});

	it('a pid that is not there is undefined', () => {
		expect(look(NO_SUCH_PID)).toBeUndefined();
	});

	it('a session includes processes in other groups, and not those that began another session', async () => {
		// All of them read from fd 3, and end with it.
		const script = `set -m; cat <&3 & "$NODE" -e '
			const stdio = [3, "ignore", "ignore"];
			console.log(require("node:child_process").spawn("cat", { detached: true, stdio }).pid);' & wait`;
		const leader = start('bash', ['-c', script], {
			detached: true,
			env: { ...process.env, NODE: process.execPath },
			stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
		});
		onTestFinished(() => void (leader.stdio[3] as Duplex).destroy());
		const outside = Number(await firstLine(leader));
		const members = session(leader.pid!);
		expect(members.map(({ pid }) => pid)).toContain(leader.pid);
		expect(members).toHaveLength(3);
		expect(new Set(members.map(({ group }) => group)).size).toBe(3);
		expect(members.map(({ pid }) => pid)).not.toContain(outside);
		expect(look(outside)).toBeDefined();
	});
});

describe('that we cannot look', () => {
	it('is an error, and does not mean that no process is there', async () => {
		const code = `
			import { openSync } from 'node:fs';
			import { lookUp, lookUpWithPs } from ${JSON.stringify(MODULE)};
			try { for (;;) openSync('/dev/null'); } catch {}
			for (const look of [lookUp, lookUpWithPs])
				try { process.stdout.write(String(look(process.ppid)) + ' '); }
				catch ({ code }) { process.stdout.write(code + ' '); }`;
		const script = 'ulimit -n 64; exec "$NODE" --input-type=module --eval "$CODE"';
		const child = start('sh', ['-c', script], { env: { ...process.env, NODE: process.execPath, CODE: code } });
		let output = '';
		child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
		await once(child, 'close');
		expect(output).toBe('EMFILE EMFILE ');
	});
});

it('a command line is read as it is now', async () => {
	const child = start('sh', ['-c', 'read line; exec sleep 1000'], { stdio: ['pipe', 'ignore', 'inherit'] });
	expect(commandLineOf(child.pid!)).toContain('read line');
	child.stdin!.end('go\n');
	await expect.poll(() => commandLineOf(child.pid!).trim()).toBe('sleep 1000');
	expect(commandLineOf(NO_SUCH_PID)).toBe('');
});

describe('without /proc', () => {
	it('ps prints the same start time for every caller', () => {
		const { LC_ALL, TZ } = process.env;
		const first = lookUpWithPs(process.pid)?.startedAt;
		Object.assign(process.env, { LC_ALL: 'de_DE.UTF-8', TZ: 'Asia/Tokyo' });
		const second = lookUpWithPs(process.pid)?.startedAt;
		restore({ LC_ALL, TZ });
		expect(first).toMatch(/^\w{3} \w{3} \d+ \d+:\d+:\d+ \d{4}$/);
		expect(second).toBe(first);
	});
});

function restore(variables: Record<string, string | undefined>): void {
	for (const [name, value] of Object.entries(variables))
		if (value === undefined) delete process.env[name];
		else process.env[name] = value;
}
