import { expect, it } from 'vitest';
import { lockfilePlatforms, NATIVE_PACKAGES } from '../src/rules/lockfile-platforms.ts';
import { madeUpTree } from './made-up-tree.ts';

const NAMES = Object.entries(NATIVE_PACKAGES).flatMap(([prefix, platforms]) =>
	platforms.map((platform) => prefix + platform),
);

function lockfile(names: readonly string[], more = ''): string {
	const entries = names.map((name) => `  '${name}@1.0.0':\n    resolution: {integrity: sha512-x}\n`);
	return `lockfileVersion: '9.0'\n\npackages:\n\n${entries.join('\n')}${more}`;
}

function messagesOf(text: string): string[] {
	return lockfilePlatforms(madeUpTree({ 'pnpm-lock.yaml': text })).map(({ what }) => what);
}

it('a lockfile with every platform passes', () => {
	expect(messagesOf(lockfile(NAMES))).toEqual([]);
});

it.each(NAMES)('one without %s is refused', (name) => {
	expect(messagesOf(lockfile(NAMES.filter((other) => other !== name)))).toEqual([
		expect.stringContaining(`lacks ${name}:`),
	]);
});

it.each(['    resolution: {tarball: x.tgz}', '    # https://registry.example/pino'])(
	'an address is refused: %s',
	(line) => {
		expect(messagesOf(lockfile(NAMES, line))).toEqual([expect.stringContaining('has an address')]);
	},
);

it('no lockfile is refused', () => {
	expect(lockfilePlatforms(madeUpTree({}))).toMatchObject([{ where: 'pnpm-lock.yaml' }]);
});
