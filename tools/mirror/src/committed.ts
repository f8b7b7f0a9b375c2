import { spawnSync } from 'node:child_process';

/** Git could bring the file back as it is now: it is tracked, and the same in the last commit. */
export function isCommitted(root: string, path: string): boolean {
	const git = (...args: string[]) => spawnSync('git', [...args, '--', path], { cwd: root, encoding: 'utf8' });
	return git('ls-files', '--error-unmatch').status === 0 && git('diff', '--quiet', 'HEAD').status === 0;
}
