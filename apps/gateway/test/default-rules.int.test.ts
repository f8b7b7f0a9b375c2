// kube-prometheus-stack's default rules in a real Prometheus, over made-up series in the shape of kube-state-metrics,
// node-exporter and the others, and a real Alertmanager in front of a real gateway: every default alert that can be fired
// so has the right target. docs/targets.md has the table; KUBERNAUT_WRITE_DOCS=1 writes it anew.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KubeObject, obtainDefaultRules, type RuleGroup } from '@kubernaut/control-plane';
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EXPECTED_TARGETS, NOT_FIRED } from './default-rules/expected-targets.ts';
import { type Monitoring, startMonitoring } from './default-rules/monitoring.ts';
import { createObjects } from './default-rules/real-objects.ts';
import { EXPORTERS, kubeStateMetrics } from './default-rules/series.ts';
import { type FiredAlert, targetTable } from './default-rules/target-table.ts';
import { startGateways } from './harness/gateways.ts';
import { senderToken } from './http/http-client.ts';
import { PROMETHEUS } from './http/routes.ts';

const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'targets.md');
const SECTION = /(<!-- recorded: default rules -->\n)[^]*?(<!-- \/recorded -->)/;
const BUILD_LIMIT_MS = 1_800_000;
/** Prometheus scrapes every second and evaluates every two; on a free machine all of them fire within a minute. */
const FIRED = { timeout: 300_000, interval: 500 };

const api = adminApi();
const NAMES = Object.keys(EXPECTED_TARGETS).toSorted();
let groups: readonly RuleGroup[];
let monitoring: Monitoring | undefined;

beforeAll(async () => {
	groups = await obtainDefaultRules();
	await createObjects(api);
}, BUILD_LIMIT_MS);
afterEach(async () => {
	await monitoring?.stop();
	monitoring = undefined;
});

/** A gateway of its own, and the requests that it made. */
async function gatewayIn(name: string) {
	const namespace = await createNamespace(api, name);
	const gateways = await startGateways(api, namespace, { count: 1 });
	return {
		webhookUrl: gateways.processes[0]!.apiUrl + PROMETHEUS,
		token: await senderToken(api, namespace),
		requests: async (): Promise<KubeObject[]> => gateways.requests(),
	};
}

function describeTarget({ spec }: KubeObject): string {
	const { kind, name, namespace } = spec.targetResource;
	if (kind === 'Alert') return 'none';
	return namespace === undefined ? `${kind}/${name}` : `${namespace}/${kind}/${name}`;
}
/** Alert → its targets. Before the first scrape, alerts about what is absent fire for a moment: they are not looked at. */
async function targets(requests: () => Promise<KubeObject[]>): Promise<Record<string, readonly string[]>> {
	const expected = (await requests()).filter(({ spec }) => NAMES.includes(spec.signalName));
	const byName = Object.groupBy(expected, ({ spec }) => String(spec.signalName));
	return Object.fromEntries(
		Object.entries(byName).map(([name, all = []]) => [name, [...new Set(all.map(describeTarget))].toSorted()]),
	);
}

describe('the default rules', () => {
	it('every default alert is expected, or there is a reason why it cannot fire', () => {
		const alerts = new Set(groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? [])));
		expect([...NAMES, ...Object.keys(NOT_FIRED)].toSorted()).toEqual([...alerts].toSorted());
	});

	it('every default alert that fires has the right target', { timeout: BUILD_LIMIT_MS }, async () => {
		const { requests, ...receiver } = await gatewayIn('default-rules');
		monitoring = await startMonitoring({ exporters: EXPORTERS, groups, ...receiver });
		// Some come and go: each must have fired once.
		const fired = new Map<string, FiredAlert>();
		const missing = async () => {
			for (const alert of await monitoring!.firing()) fired.set(JSON.stringify(alert.labels), alert);
			const names = new Set([...fired.values()].map(({ labels }) => labels['alertname']));
			return NAMES.filter((name) => !names.has(name));
		};
		await expect.poll(missing, FIRED).toEqual([]);
		await expect
			.poll(() => targets(requests), FIRED)
			.toEqual(Object.fromEntries(NAMES.map((name) => [name, EXPECTED_TARGETS[name]!.toSorted()])));
		const recorded = targetTable([...fired.values()].filter(({ labels }) => NAMES.includes(labels['alertname'] ?? '')));
		if (process.env['KUBERNAUT_WRITE_DOCS'])
			writeFileSync(
				PAGE,
				readFileSync(PAGE, 'utf8').replace(SECTION, (_, start, end) => `${start}\n${recorded}\n\n${end}`),
			);
		expect(SECTION.exec(readFileSync(PAGE, 'utf8'))?.[0]).toContain(recorded);
	});
});

describe('nodes that are down', () => {
	const down = (...nodes: string[]) =>
		nodes.flatMap((node) => [
			['kube_node_status_condition', `node="${node}",condition="Ready",status="true"`, 0] as const,
			['kube_node_spec_unschedulable', `node="${node}"`, 0] as const,
		]);
	const nodesOf = async (requests: () => Promise<KubeObject[]>) =>
		(await requests())
			.filter(({ spec }) => spec.signalName === 'KubeNodeNotReady')
			.map(describeTarget)
			.toSorted();

	it('two nodes that are down are two incidents', { timeout: BUILD_LIMIT_MS }, async () => {
		const { requests, ...receiver } = await gatewayIn('two-nodes');
		const exporters = [
			kubeStateMetrics('kps-kube-state-metrics-58474dc949-6ngch', '10.42.2.101:8080', down('worker-3', 'worker-4')),
		];
		monitoring = await startMonitoring({ exporters, groups, ...receiver });
		await expect.poll(() => nodesOf(requests), FIRED).toEqual(['Node/worker-3', 'Node/worker-4']);
	});

	it('one node is one incident when kube-state-metrics is restarted', { timeout: BUILD_LIMIT_MS }, async () => {
		const { requests, ...receiver } = await gatewayIn('one-node');
		const pods = {
			'kps-kube-state-metrics-58474dc949-6ngch': '10.42.2.101:8080',
			'kps-kube-state-metrics-58474dc949-zpvs7': '10.42.2.7:8080',
		};
		const counts = async () => (await requests()).filter(({ spec }) => spec.signalName === 'KubeNodeNotReady');
		let signals = 0;
		for (const [pod, instance] of Object.entries(pods)) {
			await monitoring?.stop();
			monitoring = await startMonitoring({
				exporters: [kubeStateMetrics(pod, instance, down('worker-3'))],
				groups,
				...receiver,
			});
			signals++;
			await expect.poll(async () => alertsOf((await counts())[0]), FIRED).toBeGreaterThanOrEqual(signals);
		}
		expect(await nodesOf(requests)).toEqual(['Node/worker-3']);
	});
});

/** Signals that were counted on a request. */
function alertsOf(request: KubeObject | undefined): number {
	return Number(request?.['status']?.deduplication?.occurrenceCount ?? 0);
}
