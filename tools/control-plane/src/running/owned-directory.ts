// Where control planes and single parts live while they run, and how they end.
import { join } from 'node:path';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import {
	createOwnedDirectory,
	keepOwned,
	stopOwned,
	sweepOwned,
	watchOver,
} from '@kubernaut/workspace/owned-processes';

export type OwnedDirectory = { readonly path: string; close(): Promise<void> };

type KeepableDirectory = OwnedDirectory & {
	/** From here on it outlives us, until `control-plane down` stops it. */
	keep(): void;
};

/** Below it, what ends with its owner. */
export function runningDirectory(environment: NodeJS.ProcessEnv = process.env): string {
	return join(cacheDirectory(environment), 'running');
}

/** Below it, by name, what stays. */
export function keptDirectory(environment: NodeJS.ProcessEnv = process.env): string {
	return join(cacheDirectory(environment), 'kept');
}

/** Clears what crashed owners left. */
export async function sweep(environment: NodeJS.ProcessEnv = process.env): Promise<void> {
	await sweepOwned(runningDirectory(environment));
	await sweepOwned(keptDirectory(environment), { ownerless: false });
}

/** A directory whose processes end with this one. */
export async function openOwnedDirectory(environment: NodeJS.ProcessEnv = process.env): Promise<OwnedDirectory> {
	await sweep(environment);
	return own(createOwnedDirectory(runningDirectory(environment)));
}

/** Ends with us as well, unless we come to the point where it is to be kept. Fails when the name is taken. */
export function openKeptDirectory(name: string, environment: NodeJS.ProcessEnv = process.env): KeepableDirectory {
	const directory = own(createOwnedDirectory(keptDirectory(environment), name));
	return { ...directory, keep: () => keepOwned(directory.path) };
}

function own(path: string): OwnedDirectory {
	const watchdog = watchOver(path);
	return {
		path,
		async close() {
			await stopOwned(path);
			watchdog.dismiss();
		},
	};
}
