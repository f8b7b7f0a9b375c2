import { expect, it } from 'vitest';
import { decisionRecords } from '../src/rules/decision-records.ts';
import { type Files, madeUpTree } from './made-up-tree.ts';

const SECTIONS = '\n\nStatus: accepted, 2026-11-17\n\n## Context\n\n## Decision\n\n## Consequences\n';
const RECORDS = {
	'docs/adr/0001-record-decisions.md': `# 1. Record decisions${SECTIONS}`,
	'docs/adr/0002-why.md': `# 2. Why${SECTIONS}`,
};

function messagesOf(files: Files): string[] {
	return decisionRecords(madeUpTree(files)).map(({ where, what }) => `${where}: ${what}`);
}

it('records in order with their sections pass', () => {
	expect(messagesOf(RECORDS)).toEqual([]);
});

it.each([
	{ name: 'no record', files: {}, want: 'docs/adr: is empty' },
	{
		name: 'a gap',
		files: { ...RECORDS, 'docs/adr/0004-x.md': `# 4. X${SECTIONS}` },
		want: 'docs/adr: 0003 must stand',
	},
	{
		name: 'a number twice',
		files: { ...RECORDS, 'docs/adr/0002-x.md': `# 2. X${SECTIONS}` },
		want: 'docs/adr: 0002 must',
	},
	{
		name: 'a heading with another number',
		files: { ...RECORDS, 'docs/adr/0003-x.md': `# 2. X${SECTIONS}` },
		want: 'docs/adr/0003-x.md: begin it with "# 3. ',
	},
	{
		name: 'a heading without a number',
		files: { ...RECORDS, 'docs/adr/0003-x.md': `# X${SECTIONS}` },
		want: 'docs/adr/0003-x.md: begin it with "# 3. ',
	},
	{
		name: 'a section that is missing',
		files: { ...RECORDS, 'docs/adr/0003-x.md': `# 3. X${SECTIONS.replace('## Decision', '## Choice')}` },
		want: 'docs/adr/0003-x.md: has no section "## Decision"',
	},
	{
		name: 'a status without a date',
		files: { ...RECORDS, 'docs/adr/0003-x.md': `# 3. X${SECTIONS.replace(', 2026-11-17', '')}` },
		want: 'docs/adr/0003-x.md: has no line "Status: accepted',
	},
	{
		name: 'a name without a number',
		files: { ...RECORDS, 'docs/adr/notes.md': '# Notes' },
		want: 'docs/adr/notes.md: name it',
	},
])('$name is found', ({ files, want }) => {
	expect(messagesOf(files)).toEqual([expect.stringContaining(want)]);
});
