// The platform of this run, as new: no objects of an earlier scenario, three replicas of each app that the scenario asks for.
import type { AppName } from '@kubernaut/testkit';
import { inject } from 'vitest';
import { openClusterPlatform } from './cluster/cluster-platform.ts';
import type { Platform } from './platform.ts';
import { openProcessPlatform } from './processes/process-platform.ts';

export type PlatformOptions = {
	/** Processes start only these; a cluster has all. */
	readonly apps: readonly AppName[];
	readonly replicas?: number;
};

/** Of this test file, also those that did not become as new. */
export const openedPlatforms: Platform[] = [];

/** In `beforeAll`; it ends with the test file. */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
	const { cluster } = inject('e2e');
	const onOpened = (platform: Platform) => void openedPlatforms.push(platform);
	return cluster === null ? openProcessPlatform(options, onOpened) : openClusterPlatform(cluster, options, onOpened);
}
