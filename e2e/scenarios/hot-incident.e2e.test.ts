// Ten gateways count one hot incident at full speed: the orchestrator's own writes to the same status are done all the
// same, each soon, and no caller is turned away.
import { setTimeout as delay } from 'node:timers/promises';
import { type KubeObject, MERGE_PATCH } from '@kubernaut/control-plane';
import { type AppProcess, adminApi, applyObject, createNamespace } from '@kubernaut/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplicas } from '../harness/replicas.ts';
import { ALERT, type Hammering, hammer, senderToken } from '../harness/signals.ts';
import { TIMEOUTS } from '../harness/timeouts.ts';

const GATEWAYS = 10;
const ORCHESTRATORS = 2;
const CALLERS_PER_REPLICA = 50;
const WRITTEN_WITHIN_MS = 2000;
const GROUP = '/apis/kubernaut.ai/v1alpha1/namespaces';

describe('an incident that ten gateways count', () => {
	const api = adminApi();
	let namespace: string;
	let processes: AppProcess[] = [];
	let hammering: Hammering;

	beforeAll(async () => {
		namespace = await createNamespace(api, 'hot');
		const orchestrators = await startReplicas(api, 'orchestrator', namespace, ORCHESTRATORS);
		const gateways = await startReplicas(api, 'gateway', namespace, GATEWAYS);
		processes = [...orchestrators.replicas, ...gateways.replicas];
		hammering = hammer(gateways.replicas, {
			token: await senderToken(api, namespace),
			deployment: 'hot',
			callersPerReplica: CALLERS_PER_REPLICA,
		});
	});
	afterAll(async () => {
		await hammering?.stop();
		await Promise.all(processes.map((replica) => replica.stop()));
	});

	const list = async (plural: string) =>
		(await api.call('GET', `${GROUP}/${namespace}/${plural}`))['items'] as KubeObject[];

	/** How long it took until the first request of the incident was in this phase. */
	async function msUntil(phase: string): Promise<number> {
		const startedAt = performance.now();
		for (;;) {
			const [first] = (await list('remediationrequests')).filter(({ spec }) => spec.chain === 0);
			const ms = performance.now() - startedAt;
			if (first?.['status'].overallPhase === phase) return ms;
			if (ms > TIMEOUTS.phaseWrittenMs) throw new Error(`${phase} was not written, but ${JSON.stringify(first)}`);
			await delay(TIMEOUTS.lookMs);
		}
	}

	it('is executed and completed as soon as a quiet one', async () => {
		await msUntil('Blocked'); // no workflow yet; by then the gateways count
		const workflow = {
			apiVersion: 'kubernaut.ai/v1alpha1',
			kind: 'RemediationWorkflow',
			metadata: { name: 'restart', namespace },
			spec: { match: { signalNames: [ALERT] }, pipelineRef: { name: 'restart' } },
		};
		await applyObject(api, workflow);
		expect(await msUntil('Executing')).toBeLessThan(WRITTEN_WITHIN_MS);

		const [execution] = await list('workflowexecutions');
		const now = new Date().toISOString();
		const pipelineRunRef = { name: 'run', uid: 'run' };
		const status = { phase: 'Completed', pipelineRunRef, startTime: now, completionTime: now };
		const path = `${GROUP}/${namespace}/workflowexecutions/${execution?.['metadata'].name}/status`;
		await api.call('PATCH', path, { body: { status }, contentType: MERGE_PATCH });
		expect(await msUntil('Completed')).toBeLessThan(WRITTEN_WITHIN_MS);
		expect(await list('workflowexecutions')).toHaveLength(1);
	});

	it('is served to every caller, and every signal is counted once', async () => {
		await hammering.stop();
		const { 201: created = 0, 202: counted = 0, ...notServed } = hammering.statuses;
		expect(notServed).toEqual({});
		const total = async () =>
			(await list('remediationrequests')).reduce((sum, { status }) => sum + status.deduplication.occurrenceCount, 0);
		await expect.poll(total, { timeout: TIMEOUTS.settledMs }).toBe(created + counted);
		expect(await list('remediationrequests')).toHaveLength(created);
	});
});
