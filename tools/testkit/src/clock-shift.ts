// A process whose wall clock is wrong, by libfaketime: from the system, else unpacked from Debian's package without
// installing it. Where neither can be had, Node's own Date is shifted, which is the only wall clock that our apps read.
// Looking for it takes a minute at most, keeps nothing else of this process waiting, and is done once in a run.
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import { withFileLock } from '@kubernaut/workspace/file-lock';
import { startProgress } from '@kubernaut/workspace/progress';
import { scratchDirectory } from './scratch.ts';

const LIBRARY = 'libfaketime.so.1';
const FETCH_LIMIT_MS = 60_000;
/** Other test files of the same run are other processes: what one could not have, the next does not try to fetch. */
const FAILURE_REMEMBERED_MS = 600_000;

const execute = promisify(execFile);
let library: Promise<string | undefined> | undefined;

/** Environment that shifts the wall clock of a Node process by so many seconds; its monotonic clock stays right. */
export async function shiftedClock(
	seconds: number,
): Promise<{ env: Record<string, string>; by: 'libfaketime' | 'preload' }> {
	library ??= process.platform === 'linux' ? findLibrary() : Promise.resolve(undefined);
	const found = await library;
	if (found !== undefined) {
		const env = {
			LD_PRELOAD: found,
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
		await withFileLock(join(cacheDirectory(), 'locks', 'faketime'), async () => {
			if (unpacked() === undefined) await tryFetch(directory);
		});
	return unpacked();
}

async function tryFetch(directory: string): Promise<void> {
	const failure = `${directory}.failed`;
	if (Date.now() - (statSync(failure, { throwIfNoEntry: false })?.mtimeMs ?? 0) < FAILURE_REMEMBERED_MS) return;
	const progress = startProgress('Fetching libfaketime with apt-get (once; kept in the cache)');
	const fresh = mkdtempSync(`${directory}-`);
	try {
		await unpackPackage(fresh, AbortSignal.timeout(FETCH_LIMIT_MS));
		rmSync(directory, { recursive: true, force: true });
		renameSync(fresh, directory); // all of it or nothing
		progress.stop('done');
	} catch (error) {
		rmSync(fresh, { recursive: true, force: true });
		writeFileSync(failure, String(error));
		progress.stop('it cannot be had here; Date is shifted instead');
	}
}

async function unpackPackage(directory: string, signal: AbortSignal): Promise<void> {
	const options = { cwd: directory, signal, killSignal: 'SIGKILL' } as const;
	const download = () => execute('apt-get', ['download', 'libfaketime'], options);
	// apt knows the package only after an update, which needs root; a machine that never had one stays without.
	await download().catch(async () => {
		await execute('apt-get', ['update'], options);
		await download();
	});
	for (const deb of globSync(join(directory, '*.deb'))) await execute('dpkg-deb', ['-x', deb, directory], options);
}
