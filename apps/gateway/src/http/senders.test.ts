// Bodies as different senders send them, through the whole HTTP side.
import { describe, expect, it } from 'vitest';
import { startHttpFixture } from '../../test/fixtures/http-fixture.ts';
import { DEFAULT_SIGNAL_RULES } from '../signal/signal-rules.ts';

const EVENTS = '/api/v1/signals/kubernetes-event';

const GRAFANA = {
	receiver: 'kubernaut',
	status: 'firing',
	orgId: 1,
	alerts: [
		{
			status: 'firing',
			labels: { alertname: 'Cart errors', grafana_folder: 'Shop', namespace: 'shop', deployment: 'cart' },
			annotations: { summary: 's' },
			startsAt: '2026-11-16T20:00:00.157076+02:00',
			endsAt: '0001-01-01T00:00:00Z',
			generatorURL: 'https://grafana.example.com/alerting/1/edit',
			fingerprint: 'c6eadffa33fcdf37',
			silenceURL: 'https://grafana.example.com/alerting/silence/new',
			dashboardURL: '',
			panelURL: '',
			values: { B: 44.2, C: null },
			valueString: "[ metric='' labels={} value=44.2 ]",
		},
	],
	groupLabels: { alertname: 'Cart errors' },
	commonLabels: { alertname: 'Cart errors' },
	commonAnnotations: {},
	externalURL: 'https://grafana.example.com/',
	version: '1',
	groupKey: '{}:{alertname="Cart errors"}',
	truncatedAlerts: 0,
	title: '[FIRING:1] Cart errors',
	state: 'alerting',
	message: '**Firing**',
};
const EVENT = {
	metadata: { name: 'cart.1', namespace: 'shop' },
	type: 'Warning',
	reason: 'BackOff',
	message: 'm',
	involvedObject: { kind: 'Pod', namespace: 'shop', name: 'cart', ownerReferences: null, labels: { app: 'cart' } },
};

describe('senders', async () => {
	let notOurs = 0;
	const second: string[] = [];
	const rules = { ...DEFAULT_SIGNAL_RULES, otherClusters: ['theirs'] };
	const { send, observer } = await startHttpFixture({ rules });
	observer.notOurs = () => void notOurs++;
	observer.secondCluster = (cluster) => void second.push(cluster);
	const post = (payload: object, url?: string) =>
		send({ payload: JSON.stringify(payload), ...(url === undefined ? {} : { url }) });
	const of = (cluster: string) => ({ alerts: [{ status: 'firing', labels: { alertname: 'A', cluster } }] });

	it("Grafana's webhook is taken", async () => {
		expect((await post(GRAFANA)).statusCode).toBe(201);
	});

	it.each([
		{ how: 'without kind and apiVersion', body: EVENT },
		{ how: 'with empty ones', body: { ...EVENT, kind: '', apiVersion: '' } },
		{ how: 'wrapped by a watch', body: { type: 'ADDED', object: EVENT } },
		{ how: 'wrapped by eventrouter', body: { verb: 'UPDATED', event: EVENT, old_event: EVENT } },
	])('an Event $how is taken', async ({ body }) => {
		expect((await post(body, EVENTS)).statusCode).toBe(201);
	});

	it('a deleted Event is ignored', async () => {
		const answer = await post({ type: 'DELETED', object: EVENT }, EVENTS);
		expect([answer.statusCode, answer.json()]).toMatchObject([200, { status: 'ignored' }]);
	});

	it.each([{ type: 'ADDED', object: {} }, { event: [] }, { type: 'Warning', reason: 'r' }])(
		'%j is no Event',
		async (body) => {
			expect((await post(body, EVENTS)).statusCode).toBe(400);
		},
	);

	it('an alert of another cluster is answered with 200, not ours, and counted', async () => {
		const answer = await post(of('theirs'));
		expect(answer.statusCode).toBe(200);
		expect(answer.body).toContain('not ours');
		expect(notOurs).toBe(1);
	});

	it('a second cluster is a warning while ours has no name', async () => {
		await post(of('a'));
		expect(second).toEqual([]);
		await post(of('b'));
		expect(second).toEqual(['b']);
	});
});
