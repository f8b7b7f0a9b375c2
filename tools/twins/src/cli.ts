// `node tools/twins/src/cli.ts`: says which copies differ from their references in what their heads do not name.
import { parseArgs } from 'node:util';
import { inWords } from './report.ts';
import { compareTwins, ROOT } from './twins.ts';

const USAGE = `Usage: node tools/twins/src/cli.ts [directory]

Compares the files that several apps have, each app its own copy, declaration by declaration.
Ends with 1 when a copy differs in what its head comment does not name. See tools/twins/README.md.

  directory   the repository to look at; default: this one
  --help      this page`;

try {
	const { values, positionals } = parseArgs({
		options: { help: { type: 'boolean', short: 'h' } },
		allowPositionals: true,
	});
	if (values.help) console.log(USAGE);
	else compare(positionals[0] ?? ROOT);
} catch (error) {
	console.error(error instanceof Error ? error.message : String(error));
	process.exitCode = 2;
}

function compare(root: string): void {
	const { copies, references, findings } = compareTwins(root);
	if (findings.length === 0) {
		console.log(`${copies} copies of ${references} files: every difference is named.`);
		return;
	}
	console.error(`${inWords(findings)}\n\n${findings.length} found in ${copies} copies of ${references} files.`);
	process.exitCode = 1;
}
