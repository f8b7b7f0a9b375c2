// What the commands on control planes with a name share.
import { join } from 'node:path';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import { withShownLock } from '../running/with-shown-lock.ts';

export type CommandContext = {
	environment: NodeJS.ProcessEnv;
	signal: AbortSignal;
	/** For people, beside the result. */
	say: (line: string) => void;
};

/** Two commands on one name would start it twice, or stop what is just starting. */
export function alone<T>(name: string, { environment, signal }: CommandContext, run: () => Promise<T>): Promise<T> {
	const path = join(cacheDirectory(environment), 'locks', `kept-${name}`);
	return withShownLock(path, `another command on "${name}"`, run, signal);
}
