// One process at a time; a process that waits shows which other it waits for, and for how long.
import { withFileLock } from '@kubernaut/workspace/file-lock';
import { startProgress } from '@kubernaut/workspace/progress';

export async function withShownLock<T>(
	path: string,
	waitingFor: string,
	run: () => Promise<T>,
	signal?: AbortSignal,
): Promise<T> {
	let progress: ReturnType<typeof startProgress> | undefined;
	try {
		return await withFileLock(
			path,
			() => {
				progress?.stop('done');
				return run();
			},
			{
				onWait: ({ pid }) => void (progress = startProgress(`Waiting for ${waitingFor} (process ${pid})`)),
				...(signal && { signal }),
			},
		);
	} finally {
		progress?.stop('interrupted'); // the first end counts
	}
}
