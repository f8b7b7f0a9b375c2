// A right that is missing: the answer is 503, not 500, the log says which rule the Role lacks and the metrics that there
// is one. When it is granted, nothing needs to be restarted.
import { MERGE_PATCH } from '@kubernaut/control-plane';
import { type AppProcess, adminApi, appKubeconfig, createNamespace, readManifests } from '@kubernaut/testkit';
import { describe, inject, it } from 'vitest';
import { type Gateways, LONG, logged, metric, startGateways } from './harness/gateways.ts';

type Rule = { apiGroups: string[]; resources: string[]; verbs: string[] };

const api = adminApi();
const { rules } = readManifests('deploy/apps/gateway/rbac.yaml').find(({ kind }) => kind === 'Role') as {
	rules: Rule[];
} & object;

/** A gateway whose Role has everything but these verbs on Leases. */
async function startWithout(verbs: readonly string[]) {
	const namespace = await createNamespace(api, 'rights');
	const kubeconfig = await appKubeconfig(api, 'gateway', namespace, inject('controlPlane').kubeconfigPath);
	const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/gateway`;
	const grant = (granted: Rule[]) => api.call('PATCH', role, { body: { rules: granted }, contentType: MERGE_PATCH });
	await grant(
		rules.map((rule) =>
			rule.resources.includes('leases') ? { ...rule, verbs: rule.verbs.filter((verb) => !verbs.includes(verb)) } : rule,
		),
	);
	const gateways: Gateways = await startGateways(api, namespace, { count: 1, kubeconfig });
	const gateway: AppProcess = gateways.processes[0]!;
	const rule = (verb: string) => `{"apiGroups":["coordination.k8s.io"],"resources":["leases"],"verbs":["${verb}"]}`;
	const missing = (verb: string) => `${verb} leases in ${namespace}: forbidden; the Role lacks ${rule(verb)}`;
	const notGranted = (verb: string) =>
		`${verb} leases in ${namespace}: forbidden at the moment; the API server may still be starting. It needs ${rule(verb)}`;
	return { gateways, gateway, missing, notGranted, grantAll: () => grant(rules) };
}

describe.concurrent('a missing right', () => {
	it('without the right to create Leases a signal gets 503 and the log names the rule, at first as one that may be late; once granted, it succeeds', async ({
		expect,
	}) => {
		const { gateways, gateway, missing, notGranted, grantAll } = await startWithout(['create']);
		const answer = await gateways.send(gateway, 'x');
		expect(answer).toMatchObject({ status: 503, body: { code: 'SIGNALS_DEFERRED' } });
		expect(Number(answer.retryAfter)).toBeGreaterThanOrEqual(1);
		const faults = () =>
			logged(gateway, 'failed to acquire lease').map(({ fault, reason }) => `${String(fault)}: ${String(reason)}`);
		// The log is read from a pipe of its own, maybe after the answer.
		await expect.poll(() => new Set(faults()), LONG).toEqual(new Set([`forbidden: ${notGranted('create')}`]));
		const sendAgain = async () => {
			await gateways.send(gateway, 'x');
			return faults();
		};
		await expect.poll(sendAgain, { ...LONG, interval: 1000 }).toContain(`forbidden: ${missing('create')}`);
		expect(await metric(gateway, 'gateway_lock_acquisition_failures_total{reason="api_error"}')).toBeGreaterThan(0);
		const forbidden = 'gateway_api_requests_total{verb="create",resource="leases",code="403"}';
		expect(await metric(gateway, forbidden)).toBeGreaterThan(0);
		expect(await metric(gateway, 'gateway_circuit_breaker_state{state="closed"}')).toBe(1); // the API server is well
		expect(await gateways.requests()).toEqual([]);

		await grantAll();
		await expect.poll(async () => (await gateways.send(gateway, 'x')).status, LONG).toBe(201);
	});

	it('without the right to watch Leases the log says so, and signals are stored', async ({ expect }) => {
		const { gateways, gateway, missing } = await startWithout(['list', 'watch']);
		const reasons = () => logged(gateway, 'cache out of sync').map(({ reason }) => reason);
		await expect.poll(reasons, LONG).toContain(missing('watch'));
		expect((await gateways.send(gateway, 'x')).status).toBe(201);
		expect((await gateways.send(gateway, 'x')).status).toBe(202);
	});

	it('without the right to delete Leases signals are stored, and the log names the rule', async ({ expect }) => {
		const { gateways, gateway, notGranted } = await startWithout(['delete']);
		expect((await gateways.send(gateway, 'x')).status).toBe(201);
		await expect
			.poll(() => logged(gateway, 'failed to delete lease').map(({ reason }) => reason), LONG)
			.toContain(notGranted('delete'));
		expect(await metric(gateway, 'gateway_lock_releases_total{result="failed"}')).toBe(1);
		expect((await gateways.send(gateway, 'x')).status).toBe(202);
	});
});
