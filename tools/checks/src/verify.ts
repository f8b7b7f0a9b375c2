// `pnpm verify`: generate, check, and see that the tree is clean: what is committed is what the sources make.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { uncleanTree } from './unclean-tree.ts';

const HERE = dirname(fileURLToPath(import.meta.url));

new Command('npm run verify --')
	.description('Generates, checks as `npm test` does, and sees that the tree is clean. Before a push.')
	.helpOption('--help', 'this page')
	.parse();

for (const step of ['generate.ts', 'checks.ts']) {
	const { status } = spawnSync(process.execPath, [join(HERE, step)], { stdio: 'inherit' });
	if (status !== 0) process.exit(status ?? 1);
}
const problem = uncleanTree(process.cwd());
if (problem !== undefined) {
	console.error(problem);
	process.exit(1);
}
console.log('The tree is clean.');
