// A mutant may leave a rejection unhandled: it is broken on purpose. Only such errors are swallowed, known by the folder
// that they were thrown in; every other unhandled error fails the run.
import { join } from 'node:path';

/** Mutants are bred in folders of this name, and nothing else is. */
const FOLDER = 'bred-mutant';

export function mutantFolder(parent: string): string {
	return join(parent, FOLDER);
}

/** Whether the innermost frame is in a mutant's folder: a mutant further out may have called a function of the suite. */
export function isThrownByMutant({ stack = '' }: { readonly stack?: string | undefined }): boolean {
	const innermost = stack.split('\n').find((line) => /^\s+at /.test(line)) ?? '';
	return innermost.includes(`/${FOLDER}/`);
}

/** For vitest's `onUnhandledError`. Says at the end of the process how many errors it swallowed. */
export function swallowMutantErrors(): (error: { readonly stack?: string | undefined }) => boolean {
	let swallowed = 0;
	process.once('exit', () => {
		if (swallowed > 0) console.log(`${swallowed} unhandled errors swallowed: thrown by mutants, broken on purpose`);
	});
	return (error) => {
		if (!isThrownByMutant(error)) return true;
		swallowed++;
		return false;
	};
}
