// kill -9 between the creation of the Lease and that of the request, with others waiting for the lock: their signals are
// stored after the takeover, or deferred, and there is exactly one request in every case.
import { adminApi, auditLog, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { NewRemediationRequest } from '../src/generated/remediation-request.ts';
import { leaseNameOf, requestOf } from './harness/alerts.ts';
import { type CreateGate, gateRequests } from './harness/gates.ts';
import {
	type Answer,
	CALL_TIMEOUT_MS,
	contentions,
	type Gateways,
	LONG,
	occurrences,
	SHORT_LEASE,
	SHORT_LEASE_CALL_MS,
	startGateways,
	statuses,
} from './harness/gateways.ts';
import { lingeringNetwork } from './harness/lingering-network.ts';
import { pauseInCall } from './harness/paused-holder.ts';

const WAITING = 10;

type Doomed = {
	readonly env?: Readonly<Record<string, string>>;
	readonly callTimeoutMs?: number;
	readonly kubeconfig?: string;
};

const api = adminApi();
let namespace: string;
let gateways: Gateways;
let gate: CreateGate<NewRemediationRequest>;

beforeAll(async () => {
	namespace = await createNamespace(api, 'killed');
	gateways = await startGateways(api, namespace, { count: 2 });
	gate = await gateRequests(api, namespace);
});

const others = () => gateways.processes.slice(0, 2);
const insist = (deployment: string) => gateways.stormUntilStored(WAITING, deployment, others());

/** Its Lease is there, its request on the way, others wait for the lock; then it is dead. */
async function killHolder(
	name: string,
	{ env, callTimeoutMs = CALL_TIMEOUT_MS, kubeconfig }: Doomed,
	send: (deployment: string) => Promise<Answer[]> = insist,
) {
	const holder = await gateways.start(`doomed-${name}`, env, kubeconfig);
	const paused = await pauseInCall(gateways, holder, name, { gate, call: requestOf, callTimeoutMs });
	const { deployment, answer, held: create } = paused;
	const lease = await gateways.lease(deployment);
	expect(lease?.spec?.holderIdentity).toMatch(new RegExp(`^${holder.podName}_`));
	expect(await gateways.requests(deployment)).toEqual([]);
	const waiting = send(deployment);
	await vi.waitFor(() => {
		for (const each of others()) expect(contentions(each, deployment)).toBeGreaterThan(0);
	}, LONG);
	holder.signal('SIGKILL');
	expect(await holder.exited).toBe('SIGKILL');
	expect(await answer).toEqual({ status: 'lost' });
	return { deployment, create, waiting };
}

async function expectNothingHeld(deployment: string): Promise<void> {
	await vi.waitFor(async () => expect(await gateways.lease(deployment)).toBeUndefined(), LONG);
}

describe.concurrent('the holder is killed between its Lease and its request', () => {
	const short = { env: SHORT_LEASE, callTimeoutMs: SHORT_LEASE_CALL_MS };

	it('after a killed holder whose create was refused, a waiting replica takes over and creates the request', async () => {
		const { deployment, create, waiting } = await killHolder('refused', short);
		create.deny();
		expect(statuses(await waiting)).toEqual({ 201: 1, 202: WAITING - 1 });
		expect(occurrences(await gateways.requests(deployment))).toEqual([WAITING]);
		await expectNothingHeld(deployment);
	});

	it('after a killed holder whose create was stored, waiting replicas join the request without waiting for the Lease', async () => {
		const kubeconfig = await lingeringNetwork(gateways.kubeconfig, api.server);
		const { deployment, create, waiting } = await killHolder('early', { kubeconfig });
		create.allow();
		expect(statuses(await waiting)).toEqual({ 202: WAITING });
		expect(occurrences(await gateways.requests(deployment))).toEqual([1 + WAITING]);
		expect((await gateways.lease(deployment))?.spec?.holderIdentity).toMatch(/^doomed-early_/); // dead, but it blocks no signal
		expect((await gateways.send(gateways.processes[0]!, deployment)).status).toBe(202);
	});

	it('the create of a killed holder that arrives after the takeover is refused: its name is taken', async () => {
		const kubeconfig = await lingeringNetwork(gateways.kubeconfig, api.server);
		const log = auditLog();
		const mark = log?.mark();
		const { deployment, create, waiting } = await killHolder('late', { ...short, kubeconfig });
		expect(statuses(await waiting)).toEqual({ 201: 1, 202: WAITING - 1 });
		create.allow();
		const wanted = create.object.metadata.name;
		const filter = { verb: 'create', resource: 'remediationrequests', namespace };
		const codes = () =>
			log === undefined
				? [201, 409]
				: log
						.calls(mark, filter)
						.filter(({ name }) => name === wanted)
						.map(({ code }) => code);
		await vi.waitFor(() => expect(codes()).toEqual([201, 409]), LONG);
		expect(occurrences(await gateways.requests(deployment))).toEqual([WAITING]);
		await expectNothingHeld(deployment);
	});

	it('when the Lease of a killed holder outlasts the attempts, signals get 503 with Retry-After, and a retry succeeds', async () => {
		const once = (deployment: string) => gateways.storm(WAITING, () => deployment, others());
		const { deployment, create, waiting } = await killHolder('outlasting', {}, once);
		create.deny();
		const answers = await waiting;
		expect(statuses(answers)).toEqual({ 503: WAITING });
		for (const { retryAfter, body } of answers) {
			expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
			expect(body.code).toBe('SIGNALS_DEFERRED');
		}
		await api.call('DELETE', `${gateways.leasesPath}/${leaseNameOf(deployment)}`); // its end is not what is waited for here
		expect((await gateways.sendUntilStored(gateways.processes[0]!, deployment)).status).toBe(201);
		expect(occurrences(await gateways.requests(deployment))).toEqual([1]);
		await expectNothingHeld(deployment);
	});
});
