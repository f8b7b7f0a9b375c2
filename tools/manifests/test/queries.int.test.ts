// Every series that a rule or a panel reads is exported by the app that it is about: asked of real processes.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
	APPS,
	type AppName,
	type AppProcess,
	adminApi,
	appKubeconfig,
	atTheEnd,
	createNamespace,
	serviceAccountToken,
	startApp,
} from '@kubernaut/testkit';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { parse } from 'yaml';
import { groupedLabels, type Matcher, selectedSeries } from '../src/query-series.ts';
import { renderOverlay } from '../src/render.ts';

type Rule = { record?: string; alert?: string; expr: string; labels?: Record<string, string> };
type Panel = { title: string; targets?: { expr: string; legendFormat: string }[] };
type Series = { metric: string; labels: Record<string, string> };

const MONITORING = resolve(import.meta.dirname, '../../../deploy/components/monitoring');
const { spec } = parse(readFileSync(join(MONITORING, 'rules.yaml'), 'utf8')) as {
	spec: { groups: { name: string; rules: Rule[] }[] };
};
const rules = spec.groups.flatMap((group) => group.rules);
const recorded = rules.flatMap(({ record, labels }) =>
	record === undefined ? [] : [{ metric: record, labels: labels ?? {} }],
);
// What Prometheus itself adds to every scrape.
const OF_THE_SCRAPE = ['job', 'pod', 'namespace', 'instance'];
const PREFIXES = { gateway: 'gateway', orchestrator: 'ro', 'workflow-executor': 'we', notification: 'notification' };

const WORKFLOW = {
	apiVersion: 'kubernaut.ai/v1alpha1',
	kind: 'RemediationWorkflow',
	metadata: { name: 'restart' },
	spec: { match: { signalNames: ['Crash'] }, pipelineRef: { name: 'restart' } },
};
const ALERT = { status: 'firing', labels: { alertname: 'Crash', namespace: 'shop', deployment: 'cart' } };

const exported = new Map<AppName, Series[]>();
beforeAll(async () => {
	const api = adminApi();
	const namespace = await createNamespace(api, 'queries');
	const running = new Map<AppName, AppProcess>();
	for (const app of APPS) {
		const kubeconfig = await appKubeconfig(api, app, namespace, inject('controlPlane').kubeconfigPath);
		const process = await startApp(app, {
			kubeconfig,
			namespace,
			podName: `${app}-0`,
			env: await installedSettings(app),
		});
		atTheEnd(() => process.stop());
		running.set(app, process);
	}
	for (const process of running.values()) await process.waitUntilReady();
	// Series of workflows begin with their first request; all others are there from the start.
	await api.call('POST', `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/remediationworkflows`, {
		body: WORKFLOW,
	});
	await sendAlert(running.get('gateway')?.apiUrl ?? '', await serviceAccountToken(api, namespace, 'gateway'));
	const read = async (app: AppName) => seriesIn(await (await fetch(running.get(app)?.metricsUrl ?? '')).text());
	await vi.waitFor(
		async () =>
			expect((await read('orchestrator')).map(({ metric }) => metric)).toContain('ro_workflow_requests_total'),
		{ timeout: 60_000, interval: 100 },
	);
	for (const app of APPS) exported.set(app, await read(app));
});

/** As the production overlay sets the app up, with its mounted file from the tree. */
async function installedSettings(app: AppName): Promise<Record<string, string>> {
	const configs = (await renderOverlay('production')).filter(({ metadata }) =>
		metadata.name.startsWith(`${app}-config-`),
	);
	expect(configs).toHaveLength(1);
	const mounted = resolve(import.meta.dirname, '../../../deploy/apps/notification');
	return Object.fromEntries(
		Object.entries(configs[0]?.['data'] as Record<string, string>).map(([key, value]) => [
			key,
			value.replace('/etc/kubernaut/routing', mounted),
		]),
	);
}

async function sendAlert(apiUrl: string, token: string): Promise<void> {
	const times = { startsAt: new Date().toISOString(), endsAt: '0001-01-01T00:00:00Z' };
	const alerts = [{ ...ALERT, annotations: {}, generatorURL: '', fingerprint: '0123456789abcdef', ...times }];
	const { status } = await fetch(`${apiUrl}/api/v1/signals/prometheus`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
		body: JSON.stringify({ version: '4', groupKey: '{}', receiver: 'kubernaut', status: 'firing', alerts }),
	});
	expect(status).toBe(201);
}

function seriesIn(text: string): Series[] {
	return text
		.split('\n')
		.filter((line) => line !== '' && !line.startsWith('#'))
		.map((line) => {
			const [, metric = '', inside = ''] = /^([\w:]+)(?:\{(.*)\})? /.exec(line) ?? [];
			const labels = [...inside.matchAll(/(\w+)="((?:\\.|[^"\\])*)"/g)].map(([, label = '', value = '']) => [
				label,
				value,
			]);
			return { metric, labels: Object.fromEntries(labels) as Record<string, string> };
		});
}

function fits({ label, operator, value }: Matcher, labels: Record<string, string>): boolean {
	if (OF_THE_SCRAPE.includes(label)) return true;
	const has = labels[label] ?? '';
	if (operator === '=') return has === value;
	if (operator === '!=') return has !== value;
	return new RegExp(`^(?:${value})$`).test(has) === (operator === '=~');
}

/** What of an expression no app exports, and no rule records. */
function unknownIn(expression: string, legend = ''): string[] {
	const all: Series[] = [...[...exported.values()].flat(), ...recorded, { metric: 'up', labels: {} }];
	const selected = selectedSeries(expression);
	const missing = selected.filter(
		({ metric, matchers }) =>
			!all.some((series) => series.metric === metric && matchers.every((matcher) => fits(matcher, series.labels))),
	);
	const known = new Set(
		all
			.filter(({ metric }) => selected.some((one) => one.metric === metric))
			.flatMap(({ labels }) => Object.keys(labels))
			.concat(OF_THE_SCRAPE),
	);
	const used = [...groupedLabels(expression), ...[...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)];
	return [
		...missing.map(
			({ metric, matchers }) => `${metric}{${matchers.map((m) => m.label + m.operator + m.value).join()}}`,
		),
		...used.filter((label) => !known.has(label)).map((label) => `label ${label}`),
	];
}

it.each(rules.map((rule) => ({ name: rule.record ?? rule.alert, ...rule })))(
	'rule $name ($labels.app) reads what is exported',
	({ expr }) => {
		expect(selectedSeries(expr).length).toBeGreaterThan(0);
		expect(unknownIn(expr)).toEqual([]);
	},
);

describe.each(APPS)('the dashboard of %s', (app) => {
	const dashboard = JSON.parse(readFileSync(join(MONITORING, 'dashboards', `${app}.json`), 'utf8')) as {
		panels: Panel[];
	};
	const panels = dashboard.panels.filter(({ targets }) => targets !== undefined);

	it.each(panels)('panel "$title" reads what the app exports', ({ targets = [] }) => {
		for (const { expr, legendFormat } of targets) {
			expect(unknownIn(expr, legendFormat)).toEqual([]);
			for (const { metric, matchers } of selectedSeries(expr))
				expect(
					metric.startsWith(`${PREFIXES[app]}_`) ||
						matchers.some(({ label, value }) => ['job', 'app'].includes(label) && value === app),
					`${metric} is of ${app}`,
				).toBe(true);
		}
	});
});

it('there is one dashboard for each app, and each is in the component', () => {
	const files = readdirSync(join(MONITORING, 'dashboards')).toSorted();
	expect(files).toEqual(APPS.map((app) => `${app}.json`).toSorted());
	const kustomization = readFileSync(join(MONITORING, 'kustomization.yaml'), 'utf8');
	for (const file of files) expect(kustomization).toContain(`- dashboards/${file}`);
});

it('a query that no app answers is seen', () => {
	expect(unknownIn('sum by (kitchen) (rate(gateway_teapots_total[5m]))')).toEqual([
		'gateway_teapots_total{}',
		'label kitchen',
	]);
	expect(unknownIn('gateway_lock_lost_total{reason="hunger"}')).toEqual(['gateway_lock_lost_total{reason=hunger}']);
});
