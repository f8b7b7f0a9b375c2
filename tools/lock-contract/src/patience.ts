// Real time limits are for calls that hang. A machine under load is slow: a check that works stays far below them.
import { expect, vi } from 'vitest';

export const PATIENCE_MS = 30_000;
/** Shorter: a check often waits for something that a mutant never does. */
export const PATIENCE_WITH_MUTANTS_MS = 4000;

let patienceMs = PATIENCE_MS;

export function setPatience(ms: typeof PATIENCE_MS | typeof PATIENCE_WITH_MUTANTS_MS): void {
	patienceMs = ms;
}

/** For facts that come true by themselves, in real time. */
export function eventually(assertion: () => unknown, timeoutMs = patienceMs): Promise<unknown> {
	return vi.waitFor(assertion, { timeout: timeoutMs, interval: 5 });
}

/** For answers that must come at once: a lock that hangs fails its check, not the whole run. */
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
