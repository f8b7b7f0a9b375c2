// What the commands on control planes with a name share.
import { join } from 'node:path';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import { withFileLock } from '@kubernaut/workspace/file-lock';

export type CommandContext = {
	environment: NodeJS.ProcessEnv;
	signal: AbortSignal;
	/** For people, beside the result. */
	say: (line: string) => void;
};

/** Two commands on one name would start it twice, or stop what is just starting. */
export function alone<T>(
	name: string,
	{ environment, signal, say }: CommandContext,
	run: () => Promise<T>,
): Promise<T> {
	return withFileLock(join(cacheDirectory(environment), 'locks', `kept-${name}`), run, {
		signal,
		onWait: ({ pid }) => say(`Another command is at work on "${name}" (process ${pid}); waiting for it.`),
	});
}
