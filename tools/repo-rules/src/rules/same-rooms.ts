// The same room has the same file name in every app, and no room is a drawer for everything.
import { posix } from 'node:path';
import { exists, filesUnder, namesIn } from '../tree.ts';
import type { Violation } from '../violation.ts';

const ROOMS = ['main.ts', 'config.ts', 'logger.ts', 'kube.ts', 'metrics.ts', 'errors.ts', 'server.ts'];
const DRAWERS = new Set(['util', 'utils', 'helper', 'helpers', 'common']);

export function sameRooms(root: string): Violation[] {
	const missing = namesIn(root, 'apps').flatMap((app) =>
		ROOMS.map((room) => `apps/${app}/src/${room}`)
			.filter((path) => !exists(root, path))
			.map((where) => ({ where, what: `is missing: every app has ${posix.basename(where)}, under that name` })),
	);
	return [...missing, ...filesUnder(root, 'apps').flatMap(badNames)];
}

function badNames(path: string): Violation[] {
	if (/^index\.[a-z]+$/.test(posix.basename(path)))
		return [{ where: path, what: 'rename it after its main export: there is no index inside an app' }];
	const drawer = path.split('/').find((segment) => words(segment).some((word) => DRAWERS.has(word)));
	return drawer === undefined
		? []
		: [{ where: path, what: `"${drawer}" says nothing about what is in it: name it after what it does` }];
}

function words(segment: string): string[] {
	return segment.toLowerCase().split(/[-_.]/);
}
