// Every test that the README names for a row of the design document is there, under that name.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const rows = [...read('README.md').matchAll(/`((?:src|test)\/[\w./-]+\.ts)`: ([^;|]+?) ?(?=[;|])/g)];
const NAMED = rows.map(([, file = '', test = '']) => ({ file, test }));

/** What the design document lists: its edge cases, its mitigations, and its testing table. */
const ROWS = [
	'two WFEs, same target, simultaneous',
	'different workflow, same target',
	'same workflow, different target',
	'controller restart during Running, during Cooldown',
	'WFE deleted during Running, during Cooldown',
	'M1',
	'M2',
	'M3',
	'M4',
	'M5',
	'M6',
	'`pipelineRunName` determinism',
	'`pipelineRunName` uniqueness',
	'`checkResourceLock` finds Running',
	'`checkResourceLock` finds Cooldown',
	'concurrent creation',
	'controller restart',
	'finalizer cleanup',
	'full life cycle',
];

it.each(ROWS)('the README names a test for: %s', (row) => {
	const lines = read('README.md').split('\n');
	const line = lines.find((each) => each.startsWith('|') && (each.split('|')[1] ?? '').includes(row)) ?? '';
	expect(line).toMatch(/`(?:src|test)\/[\w./-]+\.ts`: /);
});

it.each(NAMED)('$file: $test', ({ file, test }) => {
	expect(read(file)).toContain(test);
});
