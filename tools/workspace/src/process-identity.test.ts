import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isAlive, ownIdentity, startTimeFromPs, startTimeOf } from './process-identity.mjs';

const NOBODY = 2 ** 30;

describe('a process', () => {
	it('is alive while it runs and no longer when it has ended', async () => {
		const child = spawn('sleep', ['1000']);
		const identity = { pid: child.pid!, startedAt: startTimeOf(child.pid!)! };
		expect(isAlive(identity)).toBe(true);
		child.kill('SIGKILL');
		await once(child, 'exit');
		expect(isAlive(identity)).toBe(false);
	});

	it('that ended but was not waited for (a zombie) is not alive', async () => {
		// The shell becomes a sleep that never waits for the child it got as a shell.
		const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'inherit'] });
		const [line] = (await once(parent.stdout, 'data')) as [Buffer];
		await expect.poll(() => startTimeOf(Number(line))).toBeUndefined();
		parent.kill('SIGKILL');
	});

	it('is told apart from another that has its pid', () => {
		const own = ownIdentity();
		expect(isAlive(own)).toBe(true);
		expect(isAlive({ ...own, startedAt: 'another time' })).toBe(false);
		expect(isAlive({ pid: NOBODY, startedAt: own.startedAt })).toBe(false);
	});

	it('keeps its start time when it becomes another program', async () => {
		const child = spawn('sh', ['-c', 'read line; exec sleep 1000'], { stdio: ['pipe', 'ignore', 'inherit'] });
		const before = startTimeOf(child.pid!);
		child.stdin.end('go\n');
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(startTimeOf(child.pid!)).toBe(before);
		child.kill('SIGKILL');
	});
});

describe('without /proc', () => {
	it('ps tells the same start time to every caller', () => {
		const { LC_ALL, TZ } = process.env;
		const first = startTimeFromPs(process.pid);
		Object.assign(process.env, { LC_ALL: 'de_DE.UTF-8', TZ: 'Asia/Tokyo' });
		const second = startTimeFromPs(process.pid);
		restore({ LC_ALL, TZ });
		expect(first).toMatch(/^\w{3} \w{3} \d+ \d+:\d+:\d+ \d{4}$/);
		expect(second).toBe(first);
	});

	it('ps knows nobody of a pid that is not there', () => {
		expect(startTimeFromPs(NOBODY)).toBeUndefined();
	});
});

function restore(variables: Record<string, string | undefined>): void {
	for (const [name, value] of Object.entries(variables))
		if (value === undefined) delete process.env[name];
		else process.env[name] = value;
}
