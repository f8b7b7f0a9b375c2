// The version before this one, for a rolling update from it: the tree of a commit, apart from this one, with its own dependencies and
// its bundles. It is kept in the cache, and nothing is registered in the repository.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram, tryProgram } from '@kubernaut/kind';
import { APPS } from '@kubernaut/testkit/app-process';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import { startProgress } from '@kubernaut/workspace/progress';
import type { PreviousVersion } from '../harness/environment.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The last commit when this tree has changes of its own, else the one before it. */
export async function previousCommit(): Promise<string | undefined> {
	const changes = await git('status', '--porcelain', '--untracked-files=no');
	return changes === undefined ? undefined : commitOf(changes === '' ? 'HEAD~1' : 'HEAD');
}

export async function commitOf(name: string): Promise<string | undefined> {
	return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
}

/** The path of a file that describes it. */
export async function preparePrevious(commit: string, signal: AbortSignal): Promise<string> {
	const above = join(cacheDirectory(), 'e2e');
	const directory = join(above, `version-${commit}`);
	const file = join(above, 'previous.json');
	mkdirSync(above, { recursive: true });
	const progress = startProgress(`Building the version before this one, ${commit.slice(0, 7)}`);
	try {
		if (!existsSync(directory)) {
			for (const old of readdirSync(above).filter((name) => /^(?:version|draft)-/.test(name)))
				rmSync(join(above, old), { recursive: true, force: true });
			const draft = join(above, `draft-${commit}`);
			mkdirSync(draft);
			const archive = join(draft, 'tree.tar');
			await runProgram(['git', '-C', ROOT, 'archive', '--output', archive, commit], { signal });
			await runProgram(['tar', '-C', draft, '-xf', archive], { signal });
			rmSync(archive);
			renameSync(draft, directory);
		}
		const bundles = APPS.map((app) => join(directory, 'apps', app, 'dist', 'main.mjs'));
		if (!bundles.every((bundle) => existsSync(bundle))) {
			const build = [process.execPath, join(directory, 'tools', 'workspace', 'run.mjs'), 'build'] as const;
			await runProgram(build, { cwd: directory, onLine: progress.update, signal });
		}
		const previous: PreviousVersion = { commit, directory };
		writeFileSync(file, JSON.stringify(previous));
		progress.stop('done');
		return file;
	} finally {
		progress.stop(signal.aborted ? 'interrupted' : 'failed');
	}
}

/** Undefined where git has no answer: an unpacked archive, or a clone without its history. */
async function git(...args: string[]): Promise<string | undefined> {
	return tryProgram(['git', '-C', ROOT, ...args]);
}
