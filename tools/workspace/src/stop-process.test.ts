import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.mjs';
import { stopProcess } from './stop-process.ts';

const LOOP = 'while :; do sleep 0.02; done';
const LONG = { timeoutMs: 1_000_000 };

/** Begins a session, as what we own does. */
async function startLeader(shell: 'sh' | 'bash', script: string) {
	const child: ChildProcess = spawn(shell, ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
	const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
	const nextLine = async () => (await lines.next()).value as string;
	return { leader: clearedUp(child.pid!), nextLine };
}

function clearedUp(pid: number): ProcessIdentity {
	const identity = identityOf(pid)!;
	onTestFinished(() => {
		if (isAlive(identity)) process.kill(pid, 'SIGKILL');
	});
	return identity;
}

describe('stopping a process', () => {
	it('lets it end in its own way', async () => {
		const { leader, nextLine } = await startLeader('sh', `trap 'echo bye; exit' TERM; echo ready; ${LOOP}`);
		await nextLine();
		await stopProcess(leader, LONG);
		expect(await nextLine()).toBe('bye');
		expect(isAlive(leader)).toBe(false);
	});

	it('that is paused lets it go on, and end in its own way', async () => {
		const { leader, nextLine } = await startLeader('sh', `trap 'echo bye; exit' TERM; echo ready; ${LOOP}`);
		await nextLine();
		process.kill(-leader.pid, 'SIGSTOP');
		await stopProcess(leader, LONG);
		expect(await nextLine()).toBe('bye');
	});

	it('kills it when it does not end in time', async () => {
		const { leader, nextLine } = await startLeader('sh', `trap '' TERM; echo ready; ${LOOP}`);
		await nextLine();
		await stopProcess(leader, { timeoutMs: 50 });
		expect(isAlive(leader)).toBe(false);
	});

	it('ends also a child of its group that outlives it', async () => {
		const { leader, nextLine } = await startLeader('sh', `sh -c 'trap "" TERM; echo $$; ${LOOP}' & wait`);
		const child = clearedUp(Number(await nextLine()));
		await stopProcess(leader, LONG);
		expect(isAlive(child)).toBe(false);
	});

	it('ends also processes in another group of its session', async () => {
		const { leader, nextLine } = await startLeader('bash', 'set -m; sleep 1000 & echo $!; wait');
		const child = clearedUp(Number(await nextLine()));
		await stopProcess(leader, LONG);
		expect(isAlive(child)).toBe(false);
	});

	it('that is gone, and whose pid is ours now, is over at once', async () => {
		await expect(stopProcess({ pid: process.pid, startedAt: 'earlier' }, LONG)).resolves.toBeUndefined();
	});
});

describe('a process that cannot be stopped', () => {
	function withSignals(answer: () => true): void {
		const kill = vi.spyOn(process, 'kill').mockImplementation(answer);
		onTestFinished(() => kill.mockRestore());
	}

	it('because it sleeps in the kernel is an error, and not waited for for ever', async () => {
		const { leader } = await startLeader('sh', LOOP);
		withSignals(() => true);
		await expect(stopProcess(leader, { timeoutMs: 1, killedMs: 1 })).rejects.toThrow(
			/^process \d.* does not end, not even on SIGKILL$/,
		);
	});

	it('because it belongs to another user is an error at once', async () => {
		const { leader } = await startLeader('sh', LOOP);
		withSignals(() => {
			throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
		});
		await expect(stopProcess(leader, LONG)).rejects.toThrow(`process ${leader.pid} belongs to another user`);
	});
});
