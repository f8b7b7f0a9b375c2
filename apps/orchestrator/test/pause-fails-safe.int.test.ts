// The pause switch fails safe: what cannot be read is on, an empty switch is on, executions that have not begun are
// withdrawn, and a pause costs no write for the requests that wait already.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubeApi, MERGE_PATCH } from '@kubernaut/control-plane';
import { atTheEnd, scratchDirectory, startApp, startRelay } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { nameOf } from './harness/objects.ts';
import { openWorld, type World } from './harness/world.ts';

const WAITING = 20;
type Rule = { readonly resources: readonly string[] };

let world: World;
beforeAll(async () => {
	world = await openWorld('pause-safe', 2, { RESOURCE_LOCKING_COOLDOWN_PERIOD: '0s' }, async (prepared) => {
		await prepared.createWorkflow('restart');
		await prepared.createWorkflow('careful', { signalNames: ['Careful'], mode: 'Approval' });
	});
});
const versions = async () =>
	(await world.requests())
		.filter(({ spec }) => spec.signalName === 'Unmatched')
		.map(({ metadata }) => metadata.resourceVersion)
		.toSorted();

/** Set, and seen by the replicas. */
async function pause(data: Readonly<Record<string, string>>, target: string): Promise<void> {
	await world.pause(data);
	await world.until(nameOf(await world.createRequest({ target, signalName: 'Careful' })), 'Paused');
}

describe('the pause switch', () => {
	it('without any key pauses everything, and is off when it says so', async () => {
		await pause({}, 'empty/Deployment/probe');
		const request = await world.createRequest({ target: 'empty/Deployment/a' });
		const { status } = await world.until(nameOf(request), 'Paused');
		expect(status.blockMessage).toBe('everything is paused, because the ConfigMap kubernaut-pause names nothing');
		await world.pause({ all: 'false' });
		await world.untilExecuting(request);
	});

	it('writes nothing to requests that wait already, and says on itself what it does', async () => {
		const waiting = await Promise.all(
			Array.from({ length: WAITING }, (_, i) =>
				world.createRequest({ target: `wait/Deployment/d${i}`, signalName: 'Unmatched' }),
			),
		);
		for (const request of waiting) {
			await world.until(nameOf(request), 'NoWorkflow');
			await world.notified(request, 1);
		}
		const before = await versions();
		await pause({ namespaces: 'wait' }, 'wait/Deployment/probe');
		await pause({ all: 'true' }, 'other/Deployment/probe');
		await world.pause();
		await world.afterwards();
		expect(await versions()).toEqual(before);
		await eventually(
			() => world.events('kubernaut-pause'), // written after the change is known, so a little later
			(events) => expect(events.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['Paused', 'Resumed'])),
		);
	});

	it('withdraws an execution that has not begun, leaves one that has, and lets the request run afterwards', async () => {
		const idle = await world.createRequest({ target: 'begun/Deployment/no' });
		const busy = await world.createRequest({ target: 'begun/Deployment/yes' });
		const notBegun = await world.untilExecuting(idle);
		const begun = await world.untilExecuting(busy);
		await world.beginExecution(nameOf(begun));
		await world.pause({ all: 'true' });
		await world.until(nameOf(idle), 'Paused');
		expect((await world.findExecution(nameOf(notBegun)))?.status).toMatchObject({
			phase: 'Skipped',
			skipDetails: { reason: 'Withdrawn', message: expect.stringContaining('paused') },
		});
		await world.endExecution(nameOf(begun), 'Completed');
		await world.until(nameOf(busy), 'Completed');
		await world.pause();
		await world.untilExecuting(idle);
	});
});

describe('a pause switch that cannot be read', () => {
	it('is on: nothing is executed, and the replica is not ready and names the rule', async () => {
		const { namespace, api, kubeconfig } = world;
		const relay = await startRelay(new URL(api.server));
		atTheEnd(() => relay.close());
		const relayed = join(await scratchDirectory(), 'relayed.kubeconfig');
		const text = readFileSync(kubeconfig, 'utf8').replace(new URL(api.server).host, `127.0.0.1:${relay.port}`);
		writeFileSync(relayed, text, { mode: 0o600 });
		await Promise.all(world.processes.splice(0).map((running) => running.stop()));
		const running = await startApp('orchestrator', { kubeconfig: relayed, namespace, podName: 'lone' });
		world.processes.push(running);
		await running.waitUntilReady();

		const asApp = KubeApi.fromFile(kubeconfig);
		atTheEnd(() => asApp.close());
		const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/orchestrator`;
		const { rules } = (await api.call('GET', role)) as unknown as { rules: Rule[] };
		const without = rules.filter(({ resources }) => !resources.includes('configmaps'));
		await api.call('PATCH', role, { body: { rules: without }, contentType: MERGE_PATCH });
		await eventually(
			async () => (await asApp.send('GET', `/api/v1/namespaces/${namespace}/configmaps/kubernaut-pause`)).status,
			(code) => expect(code).toBe(403),
		);
		relay.off(); // the watches reconnect
		await world.pause({ all: 'true' });
		relay.on();
		const target = 'unread/Deployment/a';
		const request = await world.createRequest({ target });
		const { status } = await world.until(nameOf(request), 'Paused');
		expect(status.blockMessage).toMatch(/cannot be read/);
		await eventually(
			async () => (await fetch(`${running.healthUrl}/readyz`)).text(),
			(answer) => expect(answer).toMatch(/lacks .*configmaps/),
		);
		expect(await world.executionsOn(target)).toEqual([]);

		await api.call('PATCH', role, { body: { rules }, contentType: MERGE_PATCH });
		await world.pause();
		await world.untilExecuting(request);
		await running.waitUntilReady();
	});
});
