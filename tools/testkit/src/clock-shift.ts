// A process whose wall clock is wrong, by libfaketime: from the system, else unpacked from Debian's package without
// installing it. Where neither can be had, Node's own Date is shifted, which is the only wall clock that our apps read.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import { withFileLock } from '@kubernaut/workspace/file-lock';
import { scratchDirectory } from './scratch.ts';

const LIBRARY = 'libfaketime.so.1';

/** Environment that shifts the wall clock of a Node process by so many seconds; its monotonic clock stays right. */
export async function shiftedClock(
	seconds: number,
): Promise<{ env: Record<string, string>; by: 'libfaketime' | 'preload' }> {
	const library = process.platform === 'linux' ? await findLibrary() : undefined;
	if (library !== undefined) {
		const env = {
			LD_PRELOAD: library,
			FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`,
			FAKETIME_DONT_FAKE_MONOTONIC: '1',
		};
		return { env, by: 'libfaketime' };
	}
	const preload = join(await scratchDirectory(), 'shift-clock.mjs');
	writeFileSync(
		preload,
		`const real = Date; const shift = ${seconds * 1000};
globalThis.Date = class extends real { constructor(...args) { if (args.length === 0) super(real.now() + shift); else super(...args); } static now() { return real.now() + shift; } };\n`,
	);
	return { env: { NODE_OPTIONS: `--import=${preload}` }, by: 'preload' };
}

async function findLibrary(): Promise<string | undefined> {
	const installed = globSync(`/usr/lib/*/faketime/${LIBRARY}`)[0];
	if (installed !== undefined) return installed;
	const directory = join(cacheDirectory(), 'faketime');
	const unpacked = () => globSync(join(directory, `usr/lib/*/faketime/${LIBRARY}`))[0];
	if (unpacked() === undefined)
		await withFileLock(join(cacheDirectory(), 'locks', 'faketime'), async () => unpack(directory));
	return unpacked();
}

function unpack(directory: string): void {
	if (existsSync(join(directory, 'usr'))) return;
	mkdirSync(directory, { recursive: true });
	// apt knows the package only after an update, which needs root; a machine that never had one stays without.
	const download = () => spawnSync('apt-get', ['download', 'libfaketime'], { cwd: directory, stdio: 'ignore' });
	if (download().status !== 0) {
		spawnSync('apt-get', ['update'], { stdio: 'ignore' });
		download();
	}
	for (const deb of globSync(join(directory, '*.deb')))
		spawnSync('dpkg-deb', ['-x', deb, directory], { stdio: 'ignore' });
}
