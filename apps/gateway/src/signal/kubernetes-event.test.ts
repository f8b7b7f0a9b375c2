import { describe, expect, it } from 'vitest';
import { eventIn, type KubernetesEvent, parseKubernetesEvent } from './kubernetes-event.ts';
import { DEFAULT_SIGNAL_RULES } from './signal-rules.ts';

const receivedTime = new Date('2026-11-16T20:00:05.000Z');
const core = {
	apiVersion: 'v1',
	kind: 'Event',
	metadata: { name: 'cart.1', namespace: 'shop' },
	type: 'Warning',
	reason: 'BackOff',
	message: 'Back-off restarting failed container',
	involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'cart' },
	source: { component: 'kubelet', host: 'worker-1' },
	firstTimestamp: '2026-11-16T18:00:00Z',
	lastTimestamp: '2026-11-16T19:00:00Z',
	eventTime: null,
} satisfies KubernetesEvent;
const events = {
	apiVersion: 'events.k8s.io/v1',
	kind: 'Event',
	metadata: { name: 'cart.1', namespace: 'shop' },
	type: 'Warning',
	reason: 'BackOff',
	note: 'Back-off restarting failed container',
	regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'cart' },
	reportingController: 'kubelet',
	deprecatedSource: { host: 'worker-1' },
	eventTime: '2026-11-16T18:00:00.000000Z',
	series: { count: 3, lastObservedTime: '2026-11-16T19:00:00.000000Z' },
} satisfies KubernetesEvent;

function read(event: KubernetesEvent) {
	return parseKubernetesEvent(event, {
		receivedTime,
		resolvedAlerts: 'mark',
		storePayload: true,
		rules: DEFAULT_SIGNAL_RULES,
	});
}

describe('a Kubernetes Event', () => {
	it.each([
		{ version: 'core/v1', event: core },
		{ version: 'events.k8s.io/v1', event: events },
	])('an Event of $version becomes the same signal as of the other version', ({ event }) => {
		expect(read(event)).toEqual({
			action: 'ingest',
			signal: {
				fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
				name: 'BackOff',
				severity: 'warning',
				type: 'event',
				source: 'kubelet',
				target: { kind: 'Pod', name: 'cart', namespace: 'shop', apiVersion: 'v1' },
				subject: { kind: 'Pod', name: 'cart', namespace: 'shop', apiVersion: 'v1' },
				lookUp: { find: 'owner', ownerReferences: [], impliedOwners: [] },
				reasons: expect.any(Array),
				// The last time, not the first: a warning that comes again after a repair is a new one.
				firingTime: '2026-11-16T19:00:00.000Z',
				receivedTime: '2026-11-16T20:00:05.000Z',
				labels: { host: 'worker-1' },
				annotations: { message: 'Back-off restarting failed container' },
				payload: JSON.stringify(event),
			},
		});
	});

	it('an Event has the same fingerprint in both versions', () => {
		const [a, b] = [read(core), read(events)];
		expect('signal' in a && 'signal' in b && a.signal.fingerprint === b.signal.fingerprint).toBe(true);
	});

	it.each(['Normal', 'normal', 'Other'])('an Event of type %s is ignored', (type) => {
		expect(read({ ...core, type }).action).toBe('ignore');
	});

	it('an object without a namespace gets that of its Event', () => {
		expect(read({ ...core, involvedObject: { kind: 'Pod', name: 'cart' } })).toMatchObject({
			signal: { target: { kind: 'Pod', name: 'cart', namespace: 'shop' } },
		});
	});

	it('an Event about a Node has a target without a namespace', () => {
		const involvedObject = { kind: 'Node', name: 'worker-1', namespace: 'default' };
		expect(read({ ...core, involvedObject })).toMatchObject({ signal: { target: { kind: 'Node', name: 'worker-1' } } });
		expect(read({ ...core, involvedObject })).not.toHaveProperty('signal.target.namespace');
	});

	it.each([
		{ involvedObject: { kind: 'Pod', name: 'a b', namespace: 'n' } },
		{ involvedObject: { kind: 'pod-ish', name: 'a', namespace: 'n' } },
		{ involvedObject: { kind: 'Pod', name: 'a' }, metadata: {} },
		{ reason: ' ' },
	])('an Event about an impossible object, or without a reason, is rejected: %o', (change) => {
		expect(read({ ...core, ...change }).action).toBe('reject');
	});

	it('an Event needs neither kind nor apiVersion', () => {
		const { apiVersion: _, kind: __, ...bare } = core;
		const [a, b] = [read(bare), read(core)];
		expect('signal' in a && 'signal' in b && a.signal.fingerprint === b.signal.fingerprint).toBe(true);
	});

	it('owners that a forwarder adds are used for an object that is gone', () => {
		const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cart-7d4b9c8f6', controller: true };
		const involvedObject = { ...core.involvedObject, ownerReferences: [owner] };
		expect(read({ ...core, involvedObject })).toMatchObject({ signal: { lookUp: { ownerReferences: [owner] } } });
	});

	it('an Event of another cluster is not ours', () => {
		const rules = { ...DEFAULT_SIGNAL_RULES, otherClusters: ['theirs'] };
		const reception = { receivedTime, resolvedAlerts: 'mark', storePayload: false, rules } as const;
		expect(parseKubernetesEvent({ ...core, clusterName: 'theirs' }, reception)).toMatchObject({
			action: 'ignore',
			isElsewhere: true,
		});
	});

	it('an Event may be wrapped by a watch or by eventrouter', () => {
		expect(eventIn({ type: 'ADDED', object: core })).toBe(core);
		expect(eventIn({ verb: 'ADDED', event: core })).toBe(core);
		expect(eventIn(core)).toBe(core);
	});

	it('a deleted Event is none', () => {
		expect(eventIn({ type: 'DELETED', object: core })).toBeUndefined();
	});
});
