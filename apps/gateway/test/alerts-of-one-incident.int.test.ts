// The alerts of one incident begin and end each on its own: a request is resolved when the last of them has ended.
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Gateways, occurrences, startGateways } from './harness/gateways.ts';
import { type PodAlert, podNames, podWebhook } from './harness/pod-alerts.ts';
import { PROMETHEUS } from './http/routes.ts';

const api = adminApi();
const NAMESPACE = 'shop';
let gateways: Gateways;

beforeAll(async () => {
	gateways = await startGateways(api, await createNamespace(api, 'alerts'));
});

async function send(gateway: number, ...alerts: readonly PodAlert[]): Promise<string[]> {
	const { status, body } = await gateways.post(gateways.processes[gateway % 3]!, PROMETHEUS, podWebhook(...alerts));
	expect(status).toBeLessThan(300);
	const results = (body['results'] ?? [body]) as { status: string }[];
	return results.map((result) => result.status);
}
/** Of the workload whose pods these are. */
async function requestOf(workload: string) {
	const all = (await gateways.requests()).filter(({ spec }) => spec.subject?.name.startsWith(`${workload}-`));
	expect(all).toHaveLength(1);
	return all[0]!;
}
const end = (minute: number) => `2026-11-16T20:${String(minute).padStart(2, '0')}:00.000Z`;

describe('five pods of one workload', () => {
	it('one that recovers does not resolve the request; the last one does, with the newest end', async () => {
		const pods = podNames('five', 5);
		for (const [i, pod] of pods.entries()) await send(i, { namespace: NAMESPACE, pod });
		const request = await requestOf('five');
		expect(occurrences([request])).toEqual([5]);

		// The one that made the request, then others, each on another replica, the newest end not the last one sent.
		for (const [i, minute] of [10, 50, 20, 30].entries()) {
			expect(await send(i + 1, { namespace: NAMESPACE, pod: pods[i]!, endsAt: end(minute) })).toEqual(['resolved']);
			expect((await requestOf('five')).status.signalResolvedAt).toBeUndefined();
		}
		await send(0, { namespace: NAMESPACE, pod: pods[4]!, endsAt: end(40) });
		expect((await requestOf('five')).status.signalResolvedAt).toBe(end(50));
		expect(occurrences([await requestOf('five')])).toEqual([5]);
	});

	it('reports that are repeated or late change nothing, and a pod that fails again reopens the request', async () => {
		const [first, second] = podNames('again', 2);
		const [a, b] = [first!, second!].map((pod) => ({ namespace: NAMESPACE, pod })) as [
			{ namespace: string; pod: string },
			{ namespace: string; pod: string },
		];
		await send(0, a, b);
		await Promise.all([0, 1, 2].map((gateway) => send(gateway, { ...a, endsAt: end(10) }, { ...b, endsAt: end(11) })));
		expect((await requestOf('again')).status.signalResolvedAt).toBe(end(11));
		await Promise.all([0, 1, 2].map((gateway) => send(gateway, a, b))); // firings that were under way
		expect((await requestOf('again')).status.signalResolvedAt).toBe(end(11));

		await send(1, { ...b, startsAt: end(30) });
		expect((await requestOf('again')).status.signalResolvedAt).toBeUndefined();
		expect(await send(2, { ...b, endsAt: end(11) })).toEqual(['ignored']); // of its first failure
		expect((await requestOf('again')).status.signalResolvedAt).toBeUndefined();
		await send(0, { ...b, startsAt: end(30), endsAt: end(40) });
		expect((await requestOf('again')).status.signalResolvedAt).toBe(end(40));
	});

	it('a report that is lost leaves the request open', async () => {
		const pods = podNames('lost', 3);
		await send(0, ...pods.map((pod) => ({ namespace: NAMESPACE, pod })));
		for (const pod of pods.slice(0, 2)) await send(1, { namespace: NAMESPACE, pod, endsAt: end(10) });
		const { status } = await requestOf('lost');
		expect(status.signalResolvedAt).toBeUndefined();
		expect(Object.values(status.alerts).filter(({ endsAt }) => endsAt !== undefined)).toHaveLength(2);
	});

	it('a pair of Alertmanagers that group differently counts each sending, and resolves once', async () => {
		const pods = podNames('pair', 5);
		const all = pods.map((pod) => ({ namespace: NAMESPACE, pod }));
		const ended = all.map((alert, i) => ({ ...alert, endsAt: end(10 + i) }));
		await Promise.all([send(0, ...all), ...all.map((alert, i) => send(i, alert))]);
		expect(occurrences([await requestOf('pair')])).toEqual([10]);
		await Promise.all([send(1, ...ended), ...ended.map((alert, i) => send(i, alert))]);
		const { status } = await requestOf('pair');
		expect(status.signalResolvedAt).toBe(end(14));
		expect(Object.keys(status.alerts)).toHaveLength(5);
		expect(occurrences([await requestOf('pair')])).toEqual([10]);
	});

	it('a problem with more alerts than can be followed says so, counts all of them, and is not resolved by one', async () => {
		const pods = podNames('many', 140);
		await send(0, ...pods.map((pod) => ({ namespace: NAMESPACE, pod })));
		const { status } = await requestOf('many');
		expect(status.alertsOverflow).toBe(true);
		expect(occurrences([await requestOf('many')])).toEqual([140]);
		const ended = pods.map((pod) => ({ namespace: NAMESPACE, pod, endsAt: end(10) }));
		expect(new Set(await send(1, ...ended))).toEqual(new Set(['ignored']));
		expect((await requestOf('many')).status.signalResolvedAt).toBeUndefined();
	});
});
