import { describe, expect, it } from 'vitest';
import { type Alert, parseAlert } from './alertmanager-webhook.ts';
import type { Reception } from './parsed-signal.ts';
import { DEFAULT_SIGNAL_RULES } from './signal-rules.ts';

const receivedTime = new Date('2026-11-16T20:00:05.000Z');

function readOne(alert: Partial<Alert>, reception: Partial<Reception> = {}) {
	const complete: Alert = { status: 'firing', labels: { alertname: 'A' }, ...alert };
	const defaults: Reception = {
		receivedTime,
		resolvedAlerts: 'mark',
		storePayload: false,
		rules: DEFAULT_SIGNAL_RULES,
	};
	return parseAlert(complete, 'kubernaut', { ...defaults, ...reception });
}
function signalOf(alert: Partial<Alert>) {
	const reading = readOne(alert);
	if (!('signal' in reading)) throw new Error(reading.message);
	return reading.signal;
}

describe('an alert', () => {
	it('an alert becomes a signal with all of its fields', () => {
		const labels = { alertname: 'PodCrashLooping', severity: 'critical', namespace: 'shop', pod: 'cart' };
		const alert = { labels, annotations: { summary: 's' }, startsAt: '2026-11-16T19:00:00.123456789Z' };
		expect(readOne(alert, { storePayload: true, rules: DEFAULT_SIGNAL_RULES })).toEqual({
			action: 'ingest',
			signal: {
				fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
				name: 'PodCrashLooping',
				severity: 'critical',
				type: 'alert',
				source: 'kubernaut',
				target: { kind: 'Pod', name: 'cart', namespace: 'shop' },
				subject: { kind: 'Pod', name: 'cart', namespace: 'shop' },
				lookUp: { find: 'owner', ownerReferences: [], impliedOwners: [] },
				alert: { id: expect.stringMatching(/^[0-9a-f]{16}$/), startsAt: '2026-11-16T19:00:00.123Z' },
				reasons: expect.any(Array),
				firingTime: '2026-11-16T19:00:00.123Z',
				receivedTime: '2026-11-16T20:00:05.000Z',
				labels,
				annotations: { summary: 's' },
				payload: JSON.stringify({ status: 'firing', ...alert }),
			},
		});
	});

	it.each([{}, { startsAt: '0001-01-01T00:00:00Z' }, { startsAt: 'yesterday' }, { startsAt: '2026-11-16T23:59:60Z' }])(
		'an alert without a usable start (%o) began when it was received',
		(alert) => {
			expect(signalOf(alert).firingTime).toBe(receivedTime.toISOString());
		},
	);

	it('the alert as it came is stored only when that is asked for', () => {
		expect(signalOf({})).not.toHaveProperty('payload');
	});

	it('an alert without severity gets severity unknown', () => {
		expect(signalOf({}).severity).toBe('unknown');
	});

	it('a resolved alert resolves the fingerprint of the firing one', () => {
		const labels = { alertname: 'A', namespace: 'n', pod: 'p' };
		const resolved = readOne({ status: 'resolved', labels });
		expect(resolved).toMatchObject({ action: 'resolve', signal: { fingerprint: signalOf({ labels }).fingerprint } });
	});

	it.each([
		{ why: 'it has severity none', alert: { labels: { alertname: 'Watchdog', severity: 'none' } }, reception: {} },
		{
			why: 'it is resolved and resolved alerts are configured to be ignored',
			alert: { status: 'resolved' as const },
			reception: { resolvedAlerts: 'ignore' as const },
		},
	])('an alert is ignored when $why', ({ alert, reception }) => {
		expect(readOne(alert, reception).action).toBe('ignore');
	});

	it.each([{ labels: {} }, { labels: { alertname: '' } }, { labels: { alertname: '  ' } }])(
		'an alert without a name is rejected: %o',
		(alert) => {
			expect(readOne(alert).action).toBe('reject');
		},
	);
});

describe('an alert that names no resource', () => {
	it('an alert that names no resource is its own target, in its namespace', () => {
		const { target, fingerprint } = signalOf({
			labels: { alertname: 'Queue full / 100 %', namespace: 'n', queue: 'q' },
		});
		expect(target).toEqual({ kind: 'Alert', name: `Queue-full-100--${fingerprint.slice(0, 16)}`, namespace: 'n' });
	});

	it.each([
		{ why: 'names that are cleaned to the same', a: { alertname: 'a b' }, b: { alertname: 'a/b' } },
		{ why: 'labels that differ', a: { alertname: 'a', queue: '1' }, b: { alertname: 'a', queue: '2' } },
		{
			why: 'long names that differ at the end',
			a: { alertname: 'a'.repeat(300) },
			b: { alertname: `${'a'.repeat(299)}b` },
		},
	])('alerts that name no resource have different targets despite $why', ({ a, b }) => {
		expect(signalOf({ labels: a }).target.name).not.toBe(signalOf({ labels: b }).target.name);
	});

	it('an impossible namespace is left out of the target', () => {
		expect(signalOf({ labels: { alertname: 'A', namespace: 'No Namespace' } }).target).not.toHaveProperty('namespace');
	});
});

describe('alerts of one incident', () => {
	const pod = { alertname: 'A', namespace: 'n', pod: 'p' };
	const resolved = { status: 'resolved', labels: { ...pod, container: 'one' } } as const;

	it('alerts of one incident that end apart from each other have ids of their own', () => {
		const [one, two] = ['one', 'two'].map((container) => readOne({ ...resolved, labels: { ...pod, container } }));
		if (!one || !two || !('signal' in one) || !('signal' in two)) throw new Error('both are signals');
		expect(one.signal.fingerprint).toBe(two.signal.fingerprint);
		expect(one.signal.alert?.id).not.toBe(two.signal.alert?.id);
	});
});

describe('an alert that cannot be read', () => {
	it.each([
		{ alertname: 'a\u0000' },
		{ alertname: 'two\nlines' },
		{ alertname: 'A', pod: 'a\u001bb' },
		{ alertname: 'A', 'po\u007fd': 'p' },
		{ alertname: 'A', pod: '\ud800' },
	])('an alert with the labels %j is rejected', (labels) => {
		expect(readOne({ labels })).toMatchObject({ action: 'reject' });
	});

	it.each([
		{ instance: `${':'.repeat(60_000)}x` },
		{ target: `http://${'0:'.repeat(30_000)}x/` },
		{ kind: `K${'a'.repeat(60_000)}!`, name: 'n' },
		{ name: `v1.${'a-.'.repeat(20_000)}` },
		{ pod: '-bcdfgh'.repeat(9_000), namespace: 'n' },
	])('a label of 60,000 characters is read in less than a second, and names nothing', (labels) => {
		const startedAt = performance.now();
		expect(signalOf({ labels: { alertname: 'A', ...labels } }).target.kind).toBe('Alert');
		expect(performance.now() - startedAt).toBeLessThan(1000);
	});

	it('line breaks in labels, and anything in annotations, are no reason to reject an alert', () => {
		expect(readOne({ labels: { alertname: 'A', note: 'a\nb\tc' }, annotations: { x: '\u0000' } }).action).toBe(
			'ingest',
		);
	});
});
