import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identityOf, isAlive, isGone, isOfHere, ownIdentity, startTimeOf } from './process-identity.mjs';
import { commandLineOf } from './process-table.mjs';

const NO_SUCH_PID = 2 ** 30;

describe('a process', () => {
	it('is alive while it runs and gone when it has ended', async () => {
		const child = spawn('sleep', ['1000']);
		onTestFinished(() => void child.kill('SIGKILL'));
		const identity = identityOf(child.pid!)!;
		expect(isAlive(identity)).toBe(true);
		expect(isGone(identity)).toBe(false);
		child.kill('SIGKILL');
		await once(child, 'exit');
		expect(isAlive(identity)).toBe(false);
		expect(isGone(identity)).toBe(true);
	});

	it('that ended but was not waited for (a zombie) is not alive', async () => {
		// The shell becomes a sleep that never waits for the child it got as a shell.
		const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'inherit'] });
		onTestFinished(() => void parent.kill('SIGKILL'));
		const [line] = (await once(parent.stdout, 'data')) as [Buffer];
		await expect.poll(() => startTimeOf(Number(line))).toBeUndefined();
	});

	it('differs from another process that has its pid', () => {
		const own = ownIdentity();
		expect(isAlive(own)).toBe(true);
		for (const other of [
			{ ...own, startedAt: 'another time' },
			{ ...own, pid: NO_SUCH_PID },
		]) {
			expect(isAlive(other)).toBe(false);
			expect(isGone(other)).toBe(true);
		}
	});

	it('of another host or pid namespace is neither alive nor gone: we cannot see it', () => {
		for (const identity of [ownIdentity(), { pid: NO_SUCH_PID, startedAt: 'never' }]) {
			const elsewhere = { ...identity, place: 'another-host pid:[1]' };
			expect(isOfHere(elsewhere)).toBe(false);
			expect(isAlive(elsewhere)).toBe(false);
			expect(isGone(elsewhere)).toBe(false);
		}
	});

	it('that was recorded without its place is of here', () => {
		const { place: _, ...own } = ownIdentity();
		expect(isAlive(own)).toBe(true);
		expect(isGone({ ...own, pid: NO_SUCH_PID })).toBe(true);
	});

	it('keeps its start time when it becomes another program', async () => {
		const child = spawn('sh', ['-c', 'read line; exec sleep 1000'], { stdio: ['pipe', 'ignore', 'inherit'] });
		onTestFinished(() => void child.kill('SIGKILL'));
		const before = startTimeOf(child.pid!);
		child.stdin.end('go\n');
		await expect.poll(() => commandLineOf(child.pid!)).toMatch(/^sleep/);
		expect(startTimeOf(child.pid!)).toBe(before);
	});
});
