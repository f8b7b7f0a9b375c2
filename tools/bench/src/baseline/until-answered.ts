// Waits for the server of a process that was just started.
import { setTimeout as delay } from 'node:timers/promises';

const READY_TIMEOUT_MS = 15_000;
const READY_POLL_MS = 20;

/** False: the process ended, or the time did. */
export async function untilAnswered(url: string, child: { readonly exitCode: number | null }): Promise<boolean> {
	const deadline = performance.now() + READY_TIMEOUT_MS;
	while (!(await answers(url))) {
		if (child.exitCode !== null || performance.now() > deadline) return false;
		await delay(READY_POLL_MS);
	}
	return true;
}

async function answers(url: string): Promise<boolean> {
	return fetch(url).then(
		({ ok }) => ok,
		() => false, // not listening yet
	);
}
