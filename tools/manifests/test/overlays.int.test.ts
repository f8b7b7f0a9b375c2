// Every overlay, alone and with the components: what the API server says to each object, and what an installation must have.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { KubeObject } from '@kubernaut/control-plane';
import { waitUntilServed } from '@kubernaut/control-plane';
import { adminApi, applyObject } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorKinds } from '../src/operator-kinds.ts';
import { COMPONENTS, describeObject, OVERLAYS, render, renderOverlay } from '../src/render.ts';
import { validate } from '../src/validate.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const APPS = ['gateway', 'orchestrator', 'workflow-executor', 'notification'];
const api = adminApi();
const objects = new Map<string, KubeObject[]>();
let withOperator: boolean;

beforeAll(async () => {
	for (const overlay of OVERLAYS) objects.set(overlay, await renderOverlay(overlay));
	objects.set('production with all components', await renderOverlay('production', COMPONENTS));
	const kinds = await operatorKinds();
	withOperator = kinds !== undefined;
	for (const kind of kinds ?? []) await applyObject(api, kind);
	for (const kind of kinds ?? []) await waitUntilServed(api, kind);
	// An object can be tried in a namespace that is there, and a pod with an account that is there.
	for (const object of of('production with all components'))
		if (['Namespace', 'ServiceAccount'].includes(object['kind'])) await applyObject(api, object);
});

function of(overlay: string, kind?: string): KubeObject[] {
	return (objects.get(overlay) ?? []).filter((object) => kind === undefined || object['kind'] === kind);
}

function deployment(overlay: string, name: string): KubeObject {
	const found = of(overlay, 'Deployment').find(({ metadata }) => metadata.name === name);
	if (found === undefined) throw new Error(`${overlay} has no Deployment ${name}`);
	return found;
}

describe.each([...OVERLAYS, 'production with all components'])('%s', (overlay) => {
	it('is taken by the API server, every field of every object, without a warning', async () => {
		const problems: string[] = [];
		for (const object of of(overlay)) {
			if (!withOperator && String(object['apiVersion']).startsWith('monitoring.coreos.com')) continue;
			problems.push(...(await validate(api, object)));
		}
		expect(problems).toEqual([]);
		expect(of(overlay).length).toBeGreaterThan(40);
	});

	it('has pods that the namespace takes, which enforces "restricted"', async () => {
		const pods = of(overlay, 'Deployment').map(({ metadata, spec }) => ({
			metadata: { name: `${metadata.name}-0`, namespace: metadata.namespace, labels: spec.template.metadata.labels },
			spec: spec.template.spec,
		}));
		for (const body of pods) {
			const path = `/api/v1/namespaces/${body.metadata.namespace}/pods?dryRun=All&fieldValidation=Strict`;
			const { status, body: answer } = await api.send('POST', path, { body });
			expect(`${body.metadata.name}: ${status} ${answer['message'] ?? ''}`).toBe(`${body.metadata.name}: 201 `);
		}
		const root = { ...pods[0]!, spec: { ...pods[0]!.spec, securityContext: {} } };
		const refused = await api.send('POST', '/api/v1/namespaces/kubernaut-system/pods?dryRun=All', { body: root });
		expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining('violates PodSecurity') } });
	});

	it('names every namespaced object’s namespace, and labels everything as part of kubernaut', () => {
		const unlabelled = of(overlay).filter(
			({ metadata }) => metadata.labels?.['app.kubernetes.io/part-of'] !== 'kubernaut',
		);
		expect(unlabelled.map(describeObject)).toEqual([]);
	});

	it('lets pods end in order: preStop and the app’s own time limit fit into the grace period', () => {
		for (const app of APPS) {
			const { spec } = deployment(overlay, app)['spec'].template;
			const [container] = spec.containers;
			const preStop = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
			expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(preStop + 25); // SHUTDOWN_GRACE
			expect(preStop > 0).toBe(app === 'gateway'); // nothing sends to the others
		}
	});

	it('tells each pod its name and namespace, probes it, bounds its memory and holds it', () => {
		for (const app of APPS) {
			const { spec } = deployment(overlay, app)['spec'].template;
			const [container] = spec.containers;
			const field = (name: string) =>
				container.env.find((entry: { name: string }) => entry.name === name)?.valueFrom?.fieldRef?.fieldPath;
			expect([field('POD_NAME'), field('POD_NAMESPACE')]).toEqual(['metadata.name', 'metadata.namespace']);
			expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'health' });
			expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'health' });
			expect(container.startupProbe.httpGet).toEqual({ path: '/healthz', port: 'health' });
			expect(container.resources).toMatchObject({
				requests: { cpu: expect.any(String), memory: expect.any(String) },
				limits: { memory: expect.any(String) },
			});
			expect(container.securityContext).toEqual({
				allowPrivilegeEscalation: false,
				readOnlyRootFilesystem: true,
				capabilities: { drop: ['ALL'] },
			});
			expect(spec.serviceAccountName).toBe(app);
			expect(container.image).toBe(`kubernaut.invalid/${app}:dev`);
		}
	});

	it('spreads each app over nodes and zones, and lets one replica go at a time', () => {
		for (const app of APPS) {
			const { topologySpreadConstraints } = deployment(overlay, app)['spec'].template.spec;
			expect(topologySpreadConstraints.map(({ topologyKey }: { topologyKey: string }) => topologyKey)).toEqual([
				'kubernetes.io/hostname',
				'topology.kubernetes.io/zone',
			]);
			const budget = of(overlay, 'PodDisruptionBudget').find(({ metadata }) => metadata.name === app);
			expect(budget?.['spec']).toMatchObject({
				maxUnavailable: 1,
				selector: { matchLabels: { 'app.kubernetes.io/name': app } },
			});
		}
	});

	it('sets only keys that its apps know', () => {
		const page = readFileSync(join(ROOT, 'docs', 'configuration.md'), 'utf8');
		const known = new Set([...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, key]) => key));
		const configs = of(overlay, 'ConfigMap').filter(({ metadata }) => /-config-[a-z0-9]+$/.test(metadata.name));
		expect(configs).toHaveLength(APPS.length);
		const keys = configs.flatMap(({ data }) => Object.keys(data as object));
		expect(keys.filter((key) => !known.has(key))).toEqual([]);
	});

	it('lets no pod call or be called beyond what its NetworkPolicy says', () => {
		const policies = of(overlay, 'NetworkPolicy').filter(({ metadata }) => metadata.namespace === 'kubernaut-system');
		expect(policies.find(({ metadata }) => metadata.name === 'nothing-else')?.['spec']).toEqual({
			podSelector: {},
			policyTypes: ['Ingress', 'Egress'],
		});
		for (const app of APPS)
			expect(policies.find(({ metadata }) => metadata.name === app)?.['spec'].policyTypes).toEqual([
				'Ingress',
				'Egress',
			]);
	});

	it('lets the executor alone delete PipelineRuns, and only where they run', () => {
		const roles = [...of(overlay, 'Role'), ...of(overlay, 'ClusterRole')].filter(({ rules }) =>
			(rules as { resources?: string[]; verbs: string[] }[]).some(
				({ resources = [], verbs }) =>
					['pipelineruns', '*'].some((name) => resources.includes(name)) &&
					['delete', 'deletecollection', '*'].some((verb) => verbs.includes(verb)),
			),
		);
		expect(roles.map(describeObject)).toEqual(['Role kubernaut-workflows/workflow-executor']);
		const bindings = [...of(overlay, 'RoleBinding'), ...of(overlay, 'ClusterRoleBinding')].filter(
			({ roleRef, metadata }) => roleRef.name === 'workflow-executor' && metadata.namespace === 'kubernaut-workflows',
		);
		expect(bindings.map(({ subjects }) => subjects)).toEqual([
			[{ kind: 'ServiceAccount', name: 'workflow-executor', namespace: 'kubernaut-system' }],
		]);
	});
});

describe.each(['e2e', 'production'])('%s', (overlay) => {
	it('has three replicas of each app, and locks deliveries with Leases', () => {
		for (const app of APPS) expect(deployment(overlay, app)['spec'].replicas).toBe(3);
		const configs = of(overlay, 'ConfigMap').filter(({ metadata }) => metadata.name.startsWith('notification-config-'));
		expect(configs.map(({ data }) => data.USE_DISTRIBUTED_LOCKING)).toEqual(['true']);
	});
});

it('dev has one replica of each app', () => {
	for (const app of APPS) expect(deployment('dev', app)['spec'].replicas).toBe(1);
});

it('e2e has the gateway on port 30080 of its node', () => {
	const service = of('e2e', 'Service').find(({ metadata }) => metadata.name === 'gateway');
	expect(service?.['spec']).toMatchObject({ type: 'NodePort', ports: [{ port: 8080, nodePort: 30080 }] });
});

it('deploy/crds has every kind, and nothing else', async () => {
	const kinds = await render(new URL('../../../deploy/crds', import.meta.url).pathname);
	expect(kinds.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'CustomResourceDefinition'));
});

it('the kustomization of a site in docs/install.md renders, with its own keys, rules and scrapes', async () => {
	const page = readFileSync(join(ROOT, 'docs', 'install.md'), 'utf8');
	const text = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
	const site = mkdtempSync(join(tmpdir(), 'kubernaut-site-'));
	try {
		writeFileSync(join(site, 'kustomization.yaml'), text.replaceAll('../deploy', relative(site, join(ROOT, 'deploy'))));
		writeFileSync(join(site, 'routing.yaml'), 'rules:\n  - channels: [slack]\n');
		const rendered = await render(site);
		const dataOf = (prefix: string) => rendered.find(({ metadata }) => metadata.name.startsWith(prefix))?.['data'];
		expect(dataOf('notification-config-')).toMatchObject({
			USE_DISTRIBUTED_LOCKING: 'true',
			SLACK_WEBHOOK_URL_FILE: '/etc/kubernaut/channels/slack-webhook-url',
		});
		expect(dataOf('notification-routing')).toEqual({ 'routing.yaml': 'rules:\n  - channels: [slack]\n' });
		expect(rendered.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['ServiceMonitor', 'PrometheusRule']));
	} finally {
		rmSync(site, { recursive: true });
	}
});

it('a mistake is seen: an unknown field, a value that is not allowed, a deprecated kind', async () => {
	const gateway = deployment('production', 'gateway');
	const unknown = { ...gateway, spec: { ...gateway['spec'], replica: 3 } };
	expect(await validate(api, unknown)).toEqual([
		expect.stringContaining('.spec.replica: field not declared in schema'),
	]);
	const notAllowed = { ...gateway, spec: { ...gateway['spec'], minReadySeconds: -1 } };
	expect(await validate(api, notAllowed)).toEqual([expect.stringContaining('minReadySeconds')]);
});
