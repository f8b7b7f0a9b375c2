// The rights of an app are exactly what it needs: with its Role nothing is refused and every rule is used; without any one of
// its rules, the app itself names the rule that it lacks, in its log or at /readyz.
import { type KubeApi, type KubeObject, MERGE_PATCH } from '@kubernaut/control-plane';
import { describe, expect, inject, it, vi } from 'vitest';
import { type AppName, type AppProcess, startApp } from '../app-process.ts';
import { readManifests } from '../apply.ts';
import { appKubeconfig, inNamespaceOfTest } from '../service-account.ts';
import { adminApi, atTheEnd, auditLog, createNamespace } from '../test-cluster.ts';

export type RightsStage = { readonly api: KubeApi; readonly namespace: string; readonly kubeconfig: string };
export type RightsScenario = {
	readonly env?: (stage: RightsStage) => Readonly<Record<string, string>>;
	/** What the app finds when it starts. */
	readonly prepare?: (stage: RightsStage) => Promise<unknown>;
	/** Has the app use every one of its rights. Without one of them it may not come to an end, or fail. */
	readonly drive: (stage: RightsStage, running: AppProcess) => Promise<unknown>;
};

type Rule = { readonly apiGroups: string[]; readonly resources: string[]; readonly verbs: string[] };
type GrantedRule = { readonly role: KubeObject; readonly rule: Rule; readonly name: string };

const READY_LIMIT_MS = 120_000;
const NAMED_LIMIT_MS = 90_000;
const LIMIT = { timeout: READY_LIMIT_MS + NAMED_LIMIT_MS };
const POLL = { timeout: NAMED_LIMIT_MS, interval: 250 };

export function describeRights(app: AppName, scenario: RightsScenario): void {
	const rules = readManifests(`deploy/apps/${app}/rbac.yaml`).flatMap(rulesOf);

	describe(`the rights of ${app}`, () => {
		it('are all that it needs, and each of them is used', LIMIT, async () => {
			const stage = await openStage(app);
			const audit = auditLog();
			const since = audit?.mark() ?? 0;
			const running = await start(app, stage, scenario);
			await running.waitUntilReady(READY_LIMIT_MS);
			await scenario.drive(stage, running);
			const user = `system:serviceaccount:${stage.namespace}:${app}`;
			const calls = () => (audit?.calls(since) ?? []).filter((call) => call.user === user);
			const unused = () =>
				audit === undefined // a cluster that was named keeps no log that we can read
					? []
					: rules.filter(({ rule }) => !calls().some((call) => isOf(rule, call))).map(({ name }) => name);
			await expect.poll(unused, POLL).toEqual([]);
			expect(calls().filter(({ code }) => code === 403)).toEqual([]);
		});

		it.concurrent.for(rules)(
			'without $name, it names what it lacks',
			LIMIT,
			async (granted, { expect: expectHere }) => {
				const stage = await openStage(app);
				await takeAway(stage, app, granted);
				const running = await start(app, stage, scenario);
				void scenario.drive(stage, running).catch(() => {}); // it cannot all be done, and is not waited for
				await expectHere.poll(() => namedBy(running, granted.rule), POLL).not.toEqual([]);
				await running.stop();
			},
		);
	});
}

function rulesOf(role: KubeObject): GrantedRule[] {
	return ((role['rules'] ?? []) as Rule[]).map((rule) => ({
		role,
		rule,
		name: `${rule.resources.join(', ')}: ${rule.verbs.join(', ')}`,
	}));
}

async function openStage(app: AppName): Promise<RightsStage> {
	const api = adminApi();
	const namespace = await createNamespace(api, 'rights');
	const kubeconfig = await appKubeconfig(api, app, namespace, inject('controlPlane').kubeconfigPath);
	const stage = { api, namespace, kubeconfig };
	// The authorizer hears of a role by a watch; what is asked for before that would be refused.
	for (const { role, rule } of readManifests(`deploy/apps/${app}/rbac.yaml`).flatMap(rulesOf))
		await untilAllowed(stage, app, { role, rule }, true);
	return stage;
}

async function start(app: AppName, stage: RightsStage, { env, prepare }: RightsScenario): Promise<AppProcess> {
	await prepare?.(stage);
	const { namespace, kubeconfig } = stage;
	const running = await startApp(app, { kubeconfig, namespace, podName: `${app}-0`, env: env?.(stage) ?? {} });
	atTheEnd(() => running.stop());
	return running;
}

async function takeAway(stage: RightsStage, app: AppName, { role, rule }: GrantedRule): Promise<void> {
	const { kind, metadata } = inNamespaceOfTest(role, stage.namespace);
	const where = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
	const path = `/apis/rbac.authorization.k8s.io/v1${where}/${kind.toLowerCase()}s/${metadata.name}`;
	const rules = (role['rules'] as Rule[]).filter((one) => one !== rule);
	await stage.api.call('PATCH', path, { body: { rules }, contentType: MERGE_PATCH });
	await untilAllowed(stage, app, { role, rule }, false);
}

async function untilAllowed(
	stage: RightsStage,
	app: AppName,
	{ role, rule }: Pick<GrantedRule, 'role' | 'rule'>,
	want: boolean,
): Promise<void> {
	await vi.waitFor(async () => expect(await isAllowed(stage, app, role, rule)).toBe(want), POLL);
}

async function isAllowed(
	{ api, namespace }: RightsStage,
	app: AppName,
	role: KubeObject,
	rule: Rule,
): Promise<boolean> {
	const { metadata } = inNamespaceOfTest(role, namespace);
	const [resource = '', subresource] = (rule.resources[0] ?? '').split('/');
	const { resourceNames } = rule as { resourceNames?: string[] };
	const resourceAttributes = {
		...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
		group: rule.apiGroups[0],
		resource,
		...(subresource === undefined ? {} : { subresource }),
		verb: rule.verbs[0],
		...(resourceNames === undefined ? {} : { name: resourceNames[0] }),
	};
	const spec = { user: `system:serviceaccount:${namespace}:${app}`, resourceAttributes };
	const { status } = await api.call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { body: { spec } });
	return status.allowed === true;
}

function isOf(rule: Rule, call: { resource: string; verb: string; code: number }): boolean {
	return call.code < 400 && rule.resources.includes(call.resource) && rule.verbs.includes(call.verb);
}

/** What of the rule the app says that it lacks, in the words that an administrator can copy into a Role. */
async function namedBy({ healthUrl, output }: AppProcess, rule: Rule): Promise<string[]> {
	const ready = await fetch(`${healthUrl}/readyz`).then(
		(answer) => answer.text(),
		() => '',
	);
	const text = [...output(), ready].join('\n').replaceAll('\\"', '"');
	return rule.resources.flatMap((resource) =>
		rule.verbs
			.map((verb) => JSON.stringify({ apiGroups: rule.apiGroups, resources: [resource], verbs: [verb] }))
			.filter((named) => text.includes(named)),
	);
}
