// Whoever waits for a lock gives up after ten attempts, and no setting changes that. What must be done while somebody
// waits is therefore done again, with another deployment, when the machine took longer for it than the wait lasts.

/** The nine waits between ten attempts: 6.5 s, less 10 %. */
export const LOCK_WAIT_MS = 5850;

const MAX_TRIES = 3;

/** What fails in less time failed for another reason. */
export async function withinLockWait(name: string, run: (deployment: string) => Promise<void>): Promise<void> {
	for (let tries = 1; ; tries++) {
		const startedAt = performance.now();
		try {
			return await run(tries === 1 ? name : `${name}-${tries}`);
		} catch (error) {
			if (tries === MAX_TRIES || performance.now() - startedAt < LOCK_WAIT_MS) throw error;
		}
	}
}
