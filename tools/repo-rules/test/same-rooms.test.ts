import { describe, expect, it } from 'vitest';
import { sameRooms } from '../src/rules/same-rooms.ts';
import { type Files, inEveryApp, madeUpTree } from './made-up-tree.ts';

const ROOMS = ['main.ts', 'config.ts', 'logger.ts', 'kube.ts', 'metrics.ts', 'errors.ts', 'server.ts'];
const APPS = inEveryApp(['gateway', 'orchestrator'], Object.fromEntries(ROOMS.map((room) => [`src/${room}`, ''])));

function placesOf(files: Files): string[] {
	return sameRooms(madeUpTree(files)).map(({ where }) => where);
}

it('apps with the same rooms pass', () => {
	expect(placesOf(APPS)).toEqual([]);
});

it.each(ROOMS)('an app without %s is found', (room) => {
	const { [`apps/orchestrator/src/${room}`]: _, ...others } = APPS;
	expect(placesOf(others)).toEqual([`apps/orchestrator/src/${room}`]);
});

describe('names that say nothing', () => {
	it.each([
		'apps/gateway/src/utils.ts',
		'apps/gateway/src/helpers/time.ts',
		'apps/gateway/src/common/a/b.ts',
		'apps/gateway/test/test-helpers.ts',
		'apps/gateway/src/string-util.test.ts',
		'apps/gateway/src/index.ts',
		'apps/gateway/src/signals/index.ts',
	])('%s', (path) => {
		expect(placesOf({ ...APPS, [path]: '' })).toEqual([path]);
	});
	it('a word that only contains one is fine', () => {
		expect(placesOf({ ...APPS, 'apps/gateway/src/uncommon-signal.ts': '', 'tools/x/src/index.ts': '' })).toEqual([]);
	});
});
