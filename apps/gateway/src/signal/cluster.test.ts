import { describe, expect, it } from 'vitest';
import { parseAlert } from './alertmanager-webhook.ts';
import { DEFAULT_SIGNAL_RULES, type SignalRules } from './signal-rules.ts';

const DEPLOYMENT = { alertname: 'A', namespace: 'n', deployment: 'd' };
const NAMED: SignalRules = { ...DEFAULT_SIGNAL_RULES, clusterName: 'ours', otherClusters: ['theirs'] };

function read(labels: Record<string, string>, rules: SignalRules = NAMED) {
	return parseAlert({ status: 'firing', labels }, 'r', {
		receivedTime: new Date(0),
		resolvedAlerts: 'mark',
		storePayload: false,
		rules,
	});
}
function signal(labels: Record<string, string>, rules?: SignalRules) {
	const parsed = read(labels, rules);
	if (!('signal' in parsed)) throw new Error(parsed.message);
	return parsed.signal;
}

describe('the cluster of a signal', () => {
	it('our own name makes no difference to target and identity', () => {
		const { fingerprint, target, cluster } = signal({ ...DEPLOYMENT, cluster: 'ours' });
		expect({ fingerprint, target, cluster }).toEqual({
			fingerprint: signal(DEPLOYMENT).fingerprint,
			target: { kind: 'Deployment', name: 'd', namespace: 'n' },
			cluster: undefined,
		});
	});

	it('a signal of a cluster that is listed as another is not ours', () => {
		expect(read({ ...DEPLOYMENT, cluster: 'theirs' })).toEqual({
			action: 'ignore',
			message: 'not ours: the alert is of the cluster theirs',
			isElsewhere: true,
		});
	});

	it('any other value is part of the identity, and there is no object', () => {
		const one = signal({ ...DEPLOYMENT, cluster: 'logs' });
		expect(one).toMatchObject({ cluster: 'logs', target: { kind: 'Alert' }, lookUp: { find: 'nothing' } });
		expect(one.fingerprint).not.toBe(signal({ ...DEPLOYMENT, cluster: 'metrics' }).fingerprint);
		expect(one.fingerprint).not.toBe(signal(DEPLOYMENT).fingerprint);
	});

	it('without a name every value is part of the identity, and the object is taken for ours', () => {
		const one = signal({ ...DEPLOYMENT, cluster: 'a' }, DEFAULT_SIGNAL_RULES);
		expect(one).toMatchObject({ cluster: 'a', target: { kind: 'Deployment' } });
		expect(one.fingerprint).not.toBe(signal({ ...DEPLOYMENT, cluster: 'b' }, DEFAULT_SIGNAL_RULES).fingerprint);
	});

	it('without an object the cluster is part of the identity, too', () => {
		const labels = { alertname: 'A', queue: 'q' };
		expect(signal({ ...labels, cluster: 'ours' }).fingerprint).toBe(signal(labels).fingerprint);
		expect(signal({ ...labels, cluster: 'x' }).fingerprint).not.toBe(signal(labels).fingerprint);
	});

	it('the label can have another name', () => {
		const rules = { ...NAMED, clusterLabel: 'k8s_cluster' };
		expect(read({ ...DEPLOYMENT, k8s_cluster: 'theirs' }, rules).action).toBe('ignore');
		expect(signal({ ...DEPLOYMENT, cluster: 'theirs' }, rules).target.kind).toBe('Deployment');
	});
});
