// Through real shells: who stays in between, and who becomes the program, differs from shell to shell.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';

const MODULE = new URL('./orphan.mjs', import.meta.url).href;

// Prints its parent, then answers every line; ends when its input ends. Not on stdin, which is closed when
// the first shell ends.
const PROGRAM = `
	import { Socket } from 'node:net';
	import { createInterface } from 'node:readline';
	import { isOrphaned, whenOrphaned } from ${JSON.stringify(MODULE)};
	const asker = new Socket({ fd: 3 });
	const tell = (answer) => asker.write(answer + '\\n');
	tell(process.ppid);
	createInterface({ input: asker }).on('line', (line) => {
		if (line === 'orphaned?') tell(isOrphaned());
		else whenOrphaned(() => tell('orphaned'));
	});`;

/** A shell that starts a shell that starts the program. A shell with something left to do stays. */
async function startBelowTwo(options: { byNpm: boolean; inner?: string }) {
	const directory = mkdtempSync(join(tmpdir(), 'orphan '));
	writeFileSync(join(directory, 'program.mjs'), PROGRAM);
	writeFileSync(join(directory, 'script'), '"$NODE" "$DIRECTORY/program.mjs"; :');
	const { npm_lifecycle_event: _, ...environment } = process.env;
	const starter = spawn('sh', ['-c', `${options.inner ?? `sh -c '"$NODE" "$DIRECTORY/program.mjs"; :'`}; :`], {
		env: {
			...environment,
			...(options.byNpm ? { npm_lifecycle_event: 'test' } : {}),
			NODE: process.execPath,
			DIRECTORY: directory,
		},
		stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
	});
	const program = starter.stdio[3] as Duplex;
	onTestFinished(() => {
		program.destroy();
		starter.kill('SIGKILL');
		rmSync(directory, { recursive: true });
	});
	const lines = createInterface({ input: program })[Symbol.asyncIterator]();
	const nextLine = async () => (await lines.next()).value as string;
	const parent = Number(await nextLine());
	return {
		parent,
		async killStarter() {
			starter.kill('SIGKILL');
			await once(starter, 'exit');
		},
		ask(line: 'orphaned?' | 'tell me'): Promise<string> {
			program.write(`${line}\n`);
			return nextLine();
		},
	};
}

describe('a program', () => {
	it('that npm has started through a shell which stays is orphaned when npm is gone', async () => {
		const program = await startBelowTwo({ byNpm: true });
		expect(await program.ask('orphaned?')).toBe('false');
		await program.killStarter();
		expect(await program.ask('orphaned?')).toBe('true');
	});

	it.each([
		{ what: 'that npm has started itself', byNpm: true, inner: 'sh "$DIRECTORY/script"' },
		{ what: 'that npm has not started', byNpm: false },
	])('$what does not care who started its parent', async (options) => {
		const program = await startBelowTwo(options);
		await program.killStarter();
		expect(await program.ask('orphaned?')).toBe('false');
		process.kill(program.parent, 'SIGKILL');
		await expect.poll(() => program.ask('orphaned?')).toBe('true');
	});

	it('calls back also when its parent had gone before the callback was set', async () => {
		const program = await startBelowTwo({ byNpm: false });
		process.kill(program.parent, 'SIGKILL');
		await expect.poll(() => program.ask('orphaned?')).toBe('true');
		expect(await program.ask('tell me')).toBe('orphaned');
	});
});
