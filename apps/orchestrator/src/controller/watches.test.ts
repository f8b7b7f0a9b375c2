import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import type { KubeClient } from '../kube/kube.ts';
import { type FollowedKind, startWatches } from './watches.ts';

const RESYNC_MS = 600_000;

/** Two kinds whose lists arrive when the test says so. */
function twoKinds() {
	const clock = new ManualClock();
	const log: string[] = [];
	const listeners = new Map<string, Parameters<FollowedKind>[2]>();
	const kind =
		(name: string): FollowedKind =>
		(_kube, _backoff, listener) => {
			listeners.set(name, listener);
			return { stop: () => log.push(`${name} stopped`), relist: () => log.push(`${name} listed again`) };
		};
	const watches = startWatches({
		kube: {} as KubeClient,
		kinds: { pods: kind('pods'), nodes: kind('nodes') },
		backoff: { calculate: () => 0 },
		clock,
		onListed: () => log.push('listed'),
		onHold: () => log.push('on hold'),
		resync: () => log.push('resync'),
		onSync: (what, inSync, reason) => log.push(`${what} ${inSync ? 'in sync' : 'out of sync'}: ${reason}`),
	});
	const list = (name: string) => listeners.get(name)?.listed();
	const restore = (name: string) => listeners.get(name)?.restored();
	return { clock, log, watches, list, restore, listeners };
}

describe('the watches of a controller', () => {
	it('are ready when every kind was listed, and report that once', () => {
		const { log, watches, list } = twoKinds();
		list('pods');
		expect(watches.check()).toEqual({ name: 'caches', ok: false, message: 'not listed yet: nodes' });
		expect(log).toEqual([]);
		list('nodes');
		list('pods');
		expect(watches.check()).toMatchObject({ ok: true });
		expect(log).toEqual(['listed']);
	});

	it('resync from time to time once every kind was listed, until they are stopped', () => {
		const { clock, log, watches, list } = twoKinds();
		clock.advance(2 * RESYNC_MS);
		list('pods');
		list('nodes');
		clock.advance(2 * RESYNC_MS);
		watches.stop();
		clock.advance(2 * RESYNC_MS);
		expect(log).toEqual(['listed', 'resync', 'resync', 'pods stopped', 'nodes stopped']);
	});

	it('of which one saw a restore hold the work until the others are listed again', () => {
		const { log, watches, list, restore } = twoKinds();
		list('pods');
		list('nodes');
		restore('pods');
		list('pods');
		expect(watches.check()).toMatchObject({ ok: false, message: 'not listed yet: nodes' });
		restore('nodes'); // its versions went back as well: the same restore
		list('nodes');
		expect(log).toEqual(['listed', 'on hold', 'nodes listed again', 'listed']);
		expect(watches.check()).toMatchObject({ ok: true });
	});

	it('list every kind again when they are asked to, without holding the work', () => {
		const { log, watches, list } = twoKinds();
		list('pods');
		list('nodes');
		watches.relist();
		list('pods');
		list('nodes');
		expect(log).toEqual(['listed', 'pods listed again', 'nodes listed again']);
		expect(watches.check()).toMatchObject({ ok: true });
	});

	it('report by kind whether they are in sync', () => {
		const { log, listeners } = twoKinds();
		listeners.get('nodes')?.syncChanged(false, 'cut');
		expect(log).toEqual(['nodes out of sync: cut']);
	});
});
