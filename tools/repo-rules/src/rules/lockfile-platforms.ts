// pnpm silently leaves out native packages that a registry does not serve. The lockfile must have those of every
// platform we support, and no address: it must install from any registry.
import { exists, readText } from '../tree.ts';
import type { Violation } from '../violation.ts';

const LOCKFILE = 'pnpm-lock.yaml';
const PLAIN = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];
const GNU = ['linux-x64-gnu', 'linux-arm64-gnu', 'darwin-x64', 'darwin-arm64'];

export const NATIVE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
	'@turbo/': ['linux-64', 'linux-arm64', 'darwin-64', 'darwin-arm64'],
	'@biomejs/cli-': PLAIN,
	'@rolldown/binding-': GNU,
	'@typescript/typescript-': PLAIN,
	'@esbuild/': PLAIN,
	'@oxlint/binding-': GNU,
	'@oxlint-tsgolint/': PLAIN,
	'lightningcss-': GNU,
	'node-': ['linux-x64', 'linux-arm64', 'darwin-x64', 'bin-darwin-arm64'],
};

export function lockfilePlatforms(root: string): Violation[] {
	if (!exists(root, LOCKFILE)) return [{ where: LOCKFILE, what: 'is missing: run pnpm install and commit it' }];
	const lockfile = readText(root, LOCKFILE);
	const names = new Set([...lockfile.matchAll(/^ {2}'?((?:@[^/\s]+\/)?[^@\s']+)@[^\n]*:$/gm)].map((match) => match[1]));
	const missing = Object.entries(NATIVE_PACKAGES)
		.flatMap(([prefix, platforms]) => platforms.map((platform) => prefix + platform))
		.filter((name) => !names.has(name));
	const addresses = lockfile.split('\n').filter((line) => /https?:\/\/|tarball:/.test(line));
	return [
		...missing.map((name) => ({
			where: LOCKFILE,
			what: `lacks ${name}: choose a version whose native packages all exist for linux and darwin, x64 and arm64, and install again`,
		})),
		...addresses.map((line) => ({
			where: LOCKFILE,
			what: `has an address ("${line.trim()}"): install again without lockfileIncludeTarballUrl`,
		})),
	];
}
