// Whether the checkout is what is committed: generated files that were not committed show here.
import { spawnSync } from 'node:child_process';

/** A sentence that says what to do; undefined when the tree is clean. */
export function uncleanTree(directory: string): string | undefined {
	const git = spawnSync('git', ['status', '--porcelain'], { cwd: directory, encoding: 'utf8' });
	if (git.status !== 0) return 'Whether the tree is clean is unknown: this is not a git checkout.';
	if (git.stdout === '') return undefined;
	return `The tree is not clean. Commit what was generated, or undo what should not be there:\n${git.stdout.trimEnd()}`;
}
