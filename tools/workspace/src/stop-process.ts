// Ends a process that began a session of its own, and the processes that are left in that session: a program like turbo puts what
// it starts into other process groups, so the group alone is not enough.
// Guarantee: signals go only to the very process that is meant, and to those of its session while it runs or when it
// has just ended: as long as one of them is there, the system does not reuse that number. Bounded: what does not
// even end on SIGKILL is an error.
// Not guaranteed: processes in the session of a leader that had ended before the call.
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from './error-code.mjs';
import { isAlive, type ProcessIdentity } from './process-identity.mjs';
import { lookUp, sessionOf } from './process-table.mjs';

const POLL_MS = 25;

/** `timeoutMs` is for its own way to end; after that it is killed. */
export async function stopProcess(
	leader: ProcessIdentity,
	{ timeoutMs, killedMs = 3_000 }: { timeoutMs: number; killedMs?: number },
): Promise<void> {
	if (!isAlive(leader)) return;
	const session = sessionOf(leader.pid);
	if (send(-leader.pid, 'SIGTERM') === 'EPERM' && isAlive(leader))
		throw new Error(`process ${leader.pid} belongs to another user`);
	send(-leader.pid, 'SIGCONT'); // a stopped one would never see the other signal
	await until(() => !isAlive(leader), timeoutMs);
	const left = () => [...[leader, ...session].filter(isAlive), ...sessionLeftBy(leader)].map(({ pid }) => pid);
	const ended = await until(() => {
		const pids = left();
		for (const pid of pids) send(pid, 'SIGKILL');
		return pids.length === 0;
	}, killedMs);
	if (!ended) throw new Error(`process ${[...new Set(left())].join(', ')} does not end, not even on SIGKILL`);
}

/** Those too who have come since the first look. */
function sessionLeftBy(leader: ProcessIdentity): ProcessIdentity[] {
	const running = lookUp(leader.pid);
	const isGivenAnew = running !== undefined && running.startedAt !== leader.startedAt;
	return isGivenAnew ? [] : sessionOf(leader.pid);
}

/** The reason when it could not be sent. That it has ended meanwhile is no reason to worry, and any other shows. */
function send(pid: number, name: NodeJS.Signals): string | undefined {
	try {
		process.kill(pid, name);
		return undefined;
	} catch (error) {
		return codeOf(error);
	}
}

async function until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
	const deadline = performance.now() + timeoutMs;
	while (!condition()) {
		if (performance.now() > deadline) return false;
		await delay(POLL_MS);
	}
	return true;
}
