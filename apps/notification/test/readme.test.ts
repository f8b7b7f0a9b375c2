// Every test that the README names is there, under that name; every criterion of TD-NOT-001 has a row.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const README = read('README.md');
const rows = [...README.matchAll(/`((?:src|test)\/[\w./-]+\.ts)`: ([^;|]+?) ?(?=[;|])/g)];
const NAMED = rows.map(([, file = '', test = '']) => ({ file, test }));

it('the README names tests', () => {
	expect(NAMED.length).toBeGreaterThan(30);
});

it.each(NAMED)('$file: $test', ({ file, test }) => {
	expect(read(file)).toContain(test);
});

it.each([...README.matchAll(/`npm run ([\w-]+) -- notification/g)].map(([, command = '']) => command))(
	'npm run %s is a command',
	(command) => {
		expect(JSON.parse(read('../../package.json')).scripts).toHaveProperty(command);
	},
);
