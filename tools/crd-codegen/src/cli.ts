// Command line of the generator; see --help.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CRD_DIRECTORY, compare, generate } from './generate.ts';
import { COMMAND } from './render.ts';

const HELP = `Generates the TypeScript types of each app from the CRDs in ${CRD_DIRECTORY}.

Usage: ${COMMAND} [--check] [--root <directory>]

  --check             write nothing; exit 1 and name the files that are not as the YAML says
  --root <directory>  work on another copy of the repository
  --help              this text
`;

async function main(): Promise<number> {
	const { values } = parseArgs({
		options: {
			check: { type: 'boolean', default: false },
			root: { type: 'string', default: join(import.meta.dirname, '../../..') },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	if (values.help) {
		process.stdout.write(HELP);
		return 0;
	}
	if (!values.check) {
		const changes = await generate(values.root);
		for (const { path, state } of changes) console.log(`${state === 'extra' ? 'removed' : 'wrote'} ${path}`);
		if (changes.length === 0) console.log('generated types are up to date');
		return 0;
	}
	const { files, differences } = await compare(values.root);
	if (differences.length === 0) {
		console.log(`${files.size} generated files are as ${CRD_DIRECTORY} says`);
		return 0;
	}
	for (const { path, state } of differences) console.error(`${state}: ${path}`);
	console.error(`\nThese are not as ${CRD_DIRECTORY} says. To write them: ${COMMAND}`);
	return 1;
}

try {
	process.exitCode = await main();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 2;
}
