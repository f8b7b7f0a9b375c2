// `pnpm generate`: writes everything anew that is made from something else.
import { spawnSync } from 'node:child_process';
import { Command } from 'commander';

const GENERATORS = [
	// First: the tables are made from the copies too.
	{ what: 'copies of the mirrored folders', script: 'tools/mirror/src/cli.ts' },
	{ what: 'TypeScript types from deploy/crds', script: 'tools/crd-codegen/src/cli.ts' },
	{ what: 'delay tables of packages/backoff', script: 'packages/backoff/generate-readme.ts' },
	{ what: 'generated pages of docs', script: 'tools/repo-rules/src/cli.ts' },
];

new Command('npm run generate --')
	.description(`Writes anew: ${GENERATORS.map(({ what }) => what).join('; ')}.`)
	.helpOption('--help', 'this page')
	.parse();

for (const { what, script } of GENERATORS) {
	console.log(`Generating ${what}`);
	const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' });
	if (status !== 0) {
		console.error(`${script} failed.`);
		process.exit(1);
	}
}
