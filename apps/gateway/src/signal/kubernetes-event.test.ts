import { describe, expect, it } from 'vitest';
import { type KubernetesEvent, parseKubernetesEvent } from './kubernetes-event.ts';

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
	return parseKubernetesEvent(event, { receivedTime, resolvedAlerts: 'mark', storePayload: true });
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
});
