// The pause switch that a person sets with kubectl: for everything, a namespace, a target; and an invalid one.
import { beforeAll, describe, expect, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { nameOf } from './harness/objects.ts';
import { openWorld, type World } from './harness/world.ts';

let world: World;
beforeAll(async () => {
	world = await openWorld('pause', 2, {}, async (prepared) => {
		await prepared.createWorkflow('restart');
		await prepared.createWorkflow('careful', { signalNames: ['Careful'], mode: 'Approval' });
	});
});

/** Set, and seen by the replicas: requests and the switch have a watch each, and a request may be seen first. */
async function pause(data: Readonly<Record<string, string>>, targets: readonly string[]): Promise<void> {
	await world.pause(data);
	const probes = targets.map((target) => world.createRequest({ target, signalName: 'Careful' }));
	for (const probe of await Promise.all(probes)) await world.until(nameOf(probe), 'Paused');
}
const messageOf = async (request: RemediationRequest) => (await world.request(nameOf(request))).status.blockMessage;

describe('the pause switch', () => {
	it.each([
		{
			what: 'everything',
			data: { all: 'true' },
			paused: ['all/Deployment/a', 'Node/all'],
			free: [],
			want: 'everything is paused by the ConfigMap kubernaut-pause',
		},
		{
			what: 'a namespace',
			data: { namespaces: 'quiet, silent' },
			paused: ['quiet/Deployment/a', 'silent/StatefulSet/b'],
			free: ['loud/Deployment/a', 'Node/quiet'],
			want: /^the namespace (quiet|silent) is paused by the ConfigMap kubernaut-pause$/,
		},
		{
			what: 'a target',
			data: { all: 'false', targets: 'one/Deployment/a\nNode/n' },
			paused: ['one/Deployment/a', 'Node/n'],
			free: ['one/Deployment/b', 'one/StatefulSet/a'],
			want: /^(one\/Deployment\/a|Node\/n) is paused by the ConfigMap kubernaut-pause$/,
		},
		{
			what: 'everything when it is invalid',
			data: { namespace: 'typo' },
			paused: ['unread/Deployment/a'],
			free: [],
			want: /everything is paused, because the ConfigMap kubernaut-pause is invalid: unknown key namespace/,
		},
	])('pauses $what, and nothing else; when it is deleted, all go on', async ({ data, paused, free, want }) => {
		await pause(data, paused);
		const stopped = await Promise.all(paused.map((target) => world.createRequest({ target })));
		for (const request of stopped) {
			await world.until(nameOf(request), 'Paused');
			expect(await messageOf(request)).toMatch(want);
		}
		for (const target of free) await world.untilExecuting(await world.createRequest({ target }));
		await world.pause();
		for (const request of stopped) await world.untilExecuting(request);
	});

	it('does not affect an execution that runs', async () => {
		const running = await world.createRequest({ target: 'run/Deployment/a' });
		const execution = await world.untilExecuting(running);
		await world.beginExecution(nameOf(execution));
		await pause({ all: 'true' }, ['run/Deployment/b']);
		const waiting = await world.createRequest({ target: 'run/Deployment/b' });
		await world.until(nameOf(waiting), 'Paused');
		await world.endExecution(execution.metadata.name, 'Completed');
		await world.until(nameOf(running), 'Completed');
		expect((await world.request(nameOf(waiting))).status.blockReason).toBe('Paused');
		await world.pause({ all: 'false' });
		await world.untilExecuting(waiting);
	});

	it('that changes leaves the requests that stay paused as they are: a pause is not written into each', async () => {
		await pause({ all: 'true' }, ['change/Deployment/a']);
		const request = await world.createRequest({ target: 'change/Deployment/a' });
		await world.until(nameOf(request), 'Paused');
		await world.pause({ targets: 'change/Deployment/a' });
		const other = await world.createRequest({ target: 'change/Deployment/b' });
		await world.untilExecuting(other); // the change is known
		expect(await messageOf(request)).toBe('everything is paused by the ConfigMap kubernaut-pause');
		await world.pause();
		await world.untilExecuting(request);
	});
});
