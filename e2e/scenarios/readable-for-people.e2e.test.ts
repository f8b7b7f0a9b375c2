// What a person sees at three in the morning: Leases with holder, key and times; `kubectl get rr,wfe,nr` in columns that say
// what, where and why; and the three log patterns of the locks.
import type { KubeObject } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { type History, recordHistory } from '../harness/judging/history.ts';
import { sumOf } from '../harness/judging/metrics.ts';
import { leasesPath, list, objectsPath, type Plural, putWorkflow } from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import type { Platform } from '../harness/platform.ts';
import { openSender, type Sender } from '../harness/sending.ts';

/** The form that `kubectl get` asks for and prints. */
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const MAX_INCIDENTS = 50;
const SIGNALS = 60;
const PATTERNS = [/acquired.*lease/, /lease held by another pod/, /delete.*lease/];

describe('a person who looks', () => {
	let platform: Platform;
	let sender: Sender;
	let leases: History;
	/** Of the signals that are sent first. */
	let tries: number;
	beforeAll(async () => {
		platform = await openPlatform({ apps: ['gateway', 'orchestrator', 'workflow-executor', 'notification'] });
		sender = await openSender(platform);
		leases = await recordHistory(inject('controlPlane').kubeconfigPath, leasesPath(platform));
		await platform.putPipeline('restart', { seconds: 1 });
		await putWorkflow(platform, 'restart', ['KubePodCrashLooping']);
		const signal = { alertname: 'KubePodCrashLooping', deployment: 'cart' };
		const sent = await Promise.all(Array.from({ length: SIGNALS }, () => sender.send(signal)));
		tries = sent.reduce((sum, one) => sum + one.tries, 0);
		await eventually(
			() => list(platform, 'notificationrequests'),
			(all) => expect(all.map(({ status }) => status?.phase)).toEqual(['Sent']),
		);
		return async () => {
			leases.stop();
			await sender.close();
		};
	});

	it('finds in each lock who holds it, for what, since when and for how long', () => {
		const locks = leases.changes.filter(
			({ type, object }) => type === 'ADDED' && object['metadata'].labels?.['kubernaut.ai/lock'] !== undefined,
		);
		const apps = new Set(locks.map(({ object }) => object['metadata'].labels['kubernaut.ai/lock'] as string));
		expect([...apps].toSorted()).toEqual(['gateway', 'notification', 'orchestrator']);
		for (const { object } of locks) {
			expect(object['spec'].holderIdentity).toMatch(/^[a-z0-9-]+_.+/);
			expect(object['metadata'].annotations['kubernaut.ai/lock-key']).toMatch(/\S/);
			expect(Date.parse(object['spec'].acquireTime)).toBeGreaterThan(0);
			expect(Date.parse(object['spec'].renewTime)).toBeGreaterThan(0);
			expect(object['spec'].leaseDurationSeconds).toBe(30);
		}
	});

	it.each([
		{
			plural: 'remediationrequests',
			want: { Phase: 'Completed', Signal: 'KubePodCrashLooping', Target: 'cart', Count: expect.toSatisfy(isCount) },
		},
		{ plural: 'workflowexecutions', want: { Phase: 'Completed', Target: 'shop/Deployment/cart', Workflow: 'restart' } },
		{ plural: 'notificationrequests', want: { Phase: 'Sent', Type: 'Completion' } },
	] as const)('reads the $plural in columns', async ({ plural, want }) => {
		await eventually(
			() => table(plural),
			(rows) => expect(rows).toEqual([expect.objectContaining(want)]),
		);
	});

	it('reads all three with kubectl', async () => {
		const { kubectl, namespace } = platform;
		if (kubectl === undefined) return; // the same columns, as above
		const text = await kubectl('-n', namespace, 'get', 'rr,wfe,nr');
		for (const row of [
			/^remediationrequest\.kubernaut\.ai\/rr-\S+ .*Completed .*KubePodCrashLooping .*cart/m,
			/^workflowexecution\.kubernaut\.ai\/\S+ .*Completed .*shop\/Deployment\/cart/m,
			/^notificationrequest\.kubernaut\.ai\/\S+ .*Sent/m,
		])
			expect(text).toMatch(row);
		const busy = await kubectl('-n', namespace, 'get', 'leases');
		expect(busy).toMatch(/^NAME +HOLDER +AGE/m);
	});

	it('finds the three patterns of the locks in the logs', async () => {
		await meetAtALock();
		const apps = ['gateway', 'orchestrator'] as const;
		const replicas = (await Promise.all(apps.map((app) => platform.replicas(app)))).flat();
		// Lines are written together, a moment after what they say.
		await eventually(
			async () => (await Promise.all(replicas.map((replica) => replica.log()))).flat(),
			(lines) => expect(PATTERNS.filter((pattern) => !lines.some((line) => pattern.test(line)))).toEqual([]),
		);
	});

	/** Exact, unless a sender came back: then its signal may be counted with each try. */
	function isCount(count: number): boolean {
		return count >= SIGNALS && count <= tries;
	}

	/** Equal signals about new incidents, until one gateway finds the lock held by another. */
	async function meetAtALock(): Promise<void> {
		for (let incident = 0; incident < MAX_INCIDENTS; incident++) {
			const signal = { alertname: 'NotHandled', deployment: `busy-${incident}` };
			await Promise.all(Array.from({ length: 15 }, () => sender.send(signal)));
			const texts = await Promise.all((await platform.replicas('gateway')).map((replica) => replica.metrics()));
			if (texts.some((text) => sumOf(text, 'gateway_lock_acquisition_failures_total', 'reason="contention"') > 0))
				return;
		}
		throw new Error(`no lock was contended in ${MAX_INCIDENTS} incidents`);
	}

	async function table(plural: Plural): Promise<Record<string, unknown>[]> {
		const { columnDefinitions, rows } = await platform.api.call('GET', objectsPath(platform, plural), {
			accept: TABLE,
		});
		const names = (columnDefinitions as { name: string }[]).map(({ name }) => name);
		return (rows as KubeObject[]).map(({ cells }) => Object.fromEntries(names.map((name, i) => [name, cells[i]])));
	}
});
