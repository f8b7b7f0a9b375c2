// Writes the generated tables of docs/ anew; with --check it only says which are not what the code says.
import { parseArgs } from 'node:util';
import { generatePages, PAGES, tablesEqualTheCode } from './docs/pages.ts';
import { ROOT } from './tree.ts';
import { describeViolations } from './violation.ts';

const USAGE = `Usage: node tools/repo-rules/src/cli.ts [--check]

Writes the generated tables of ${PAGES.map(({ path }) => path).join(', ')}.

  --check   write nothing; fail when a table is not what the code says
  --help    this page`;

try {
	const { values } = parseArgs({ options: { check: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } });
	if (values.help) console.log(USAGE);
	else if (values.check) await check();
	else for (const path of await generatePages(ROOT)) console.log(`${path} written`);
} catch (error) {
	console.error(error instanceof Error ? error.message : String(error));
	process.exitCode = 2;
}

async function check(): Promise<void> {
	const stale = await tablesEqualTheCode(ROOT);
	if (stale.length === 0) return;
	console.error(describeViolations(stale));
	process.exitCode = 1;
}
