// Every test that the README names for a row of the design document is there, under that name.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const rows = [...read('README.md').matchAll(/`((?:src|test)\/[\w./-]+\.ts)`: ([^;|]+?) ?(?=[;|])/g)];
const NAMED = rows.map(([, file = '', test = '']) => ({ file, test }));

it('the README names tests', () => {
	expect(NAMED.length).toBeGreaterThan(10);
});

it.each(NAMED)('$file: $test', ({ file, test }) => {
	expect(read(file)).toContain(test);
});
