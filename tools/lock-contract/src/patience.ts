// Real time is for what hangs. A machine under load is slow, so nothing that works may come near it.
import { expect, vi } from 'vitest';

export const PATIENCE_MS = 30_000;
/** Of a mutant, much is waited for that never comes. */
export const PATIENCE_WITH_MUTANTS_MS = 4000;

let patienceMs = PATIENCE_MS;

export function setPatience(ms: typeof PATIENCE_MS | typeof PATIENCE_WITH_MUTANTS_MS): void {
	patienceMs = ms;
}

/** For what comes about by itself, in real time. */
export function eventually(assertion: () => unknown, timeoutMs = patienceMs): Promise<unknown> {
	return vi.waitFor(assertion, { timeout: timeoutMs, interval: 5 });
}

/** For what must come at once: a lock that hangs fails its check, not the whole run. */
export async function within<T>(what: string, promise: Promise<T>, ms = patienceMs): Promise<T> {
	const late = Promise.withResolvers<'late'>();
	const timer = setTimeout(() => late.resolve('late'), ms);
	try {
		const settled = await Promise.race([promise.then((value) => ({ value })), late.promise]);
		return settled === 'late' ? expect.fail(`${what}: not within ${ms} ms`) : settled.value;
	} finally {
		clearTimeout(timer);
	}
}
