import { BACKOFF_PRESETS, type Clock, createBackoff } from '@kubernaut/backoff';

const backoff = createBackoff(BACKOFF_PRESETS.standard);

export async function acquire(
	tryAcquire: () => Promise<boolean>,
	options: { signal?: AbortSignal; clock?: Clock } = {},
): Promise<'acquired' | 'contended' | 'aborted'> {
	for await (const attempt of backoff.attempts({ maxAttempts: 10, ...options })) {
		if (await tryAcquire()) return 'acquired';
		if (attempt.isLast) return 'contended';
	}
	return 'aborted';
}
