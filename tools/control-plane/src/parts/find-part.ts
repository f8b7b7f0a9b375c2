// Finds a part that is there already: in KUBEBUILDER_ASSETS, on PATH, or built earlier into our cache.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { builtBinaryPath } from './build-part.ts';
import { PARTS, type PartName } from './parts.ts';
import { isOlder, versionIn } from './version.ts';

type FoundPart = { path: string; version: string; where: string };
type Search = { found: FoundPart } | { tried: string[] };

const VERSION_TIMEOUT_MS = 60_000; // it only ends a hang: a time-out that was taken for a failure would cost a build of minutes

export function findPart(name: PartName, environment: NodeJS.ProcessEnv = process.env): Search {
	const tried: string[] = [];
	for (const { where, path } of candidates(name, environment)) {
		if (!isProgram(path)) continue;
		const version = versionOf(name, path);
		if (version === undefined) tried.push(`${where}: ${path} does not print its version`);
		else if (isOlder(version, PARTS[name].oldest))
			tried.push(`${where}: ${path} is ${version}, at least ${PARTS[name].oldest} is needed`);
		else return { found: { path, version, where } };
	}
	if (environment['KUBEBUILDER_ASSETS'] && tried.length === 0)
		tried.push(`KUBEBUILDER_ASSETS: no ${name} in ${environment['KUBEBUILDER_ASSETS']}`);
	return { tried: [...tried, `PATH and cache: no usable ${name}`] };
}

function candidates(name: PartName, environment: NodeJS.ProcessEnv): { where: string; path: string }[] {
	const cache = { where: 'cache', path: builtBinaryPath(name, environment) };
	if (PARTS[name].versionArgs === undefined) return [cache];
	const onPath = (environment['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '');
	return [
		...(environment['KUBEBUILDER_ASSETS']
			? [{ where: 'KUBEBUILDER_ASSETS', path: join(environment['KUBEBUILDER_ASSETS'], name) }]
			: []),
		...onPath.map((directory) => ({ where: 'PATH', path: join(directory, name) })),
		cache,
	];
}

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}

/** Only the first line of a success: further down stands the version of Go, and complaints name versions too. */
function versionOf(name: PartName, path: string): string | undefined {
	const { versionArgs: args, version } = PARTS[name];
	if (args === undefined) return versionIn(version);
	const { status, stdout, stderr } = spawnSync(path, args, { encoding: 'utf8', timeout: VERSION_TIMEOUT_MS });
	if (status !== 0) return undefined;
	return versionIn((stdout.trim() || stderr.trim()).split('\n')[0] ?? '');
}
