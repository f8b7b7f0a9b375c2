// `node tools/mirror/src/cli.ts`: writes the copies of the mirrored folders; with --check it only says what differs.
import { parseArgs } from 'node:util';
import { type Drift, describeDrift, findDrift, ROOT, writeCopies } from './mirror.ts';
import { TABLE } from './table.ts';

const FOLDERS = TABLE.map(({ folder, reference }) => `  ${folder.padEnd(12)}apps/${reference}/src/${folder}`).join(
	'\n',
);
const USAGE = `Usage: node tools/mirror/src/cli.ts [--check] [directory]

Writes the mirrored folders of the reference apps into the other apps that have them.

  --check     write nothing; say which copies differ
  directory   the repository; default: this one
  --help      this page

Folders and their references:
${FOLDERS}

Exit codes: 0 the copies are the same, 1 some are not, 2 wrong command line.`;

try {
	const { values, positionals } = parseArgs({
		options: { check: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
		allowPositionals: true,
	});
	const root = positionals[0] ?? ROOT;
	if (values.help) console.log(USAGE);
	else if (values.check) fail(findDrift(root, TABLE));
	else {
		const { done, left } = writeCopies(root, TABLE);
		for (const line of done) console.log(line);
		fail(left);
	}
} catch (error) {
	console.error(error instanceof Error ? error.message : String(error));
	process.exitCode = 2;
}

function fail(drifts: readonly Drift[]): void {
	if (drifts.length === 0) return;
	console.error(describeDrift(drifts));
	process.exitCode = 1;
}
