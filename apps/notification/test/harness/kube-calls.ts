// What this app takes for granted about its calls, as one table: the API in memory of the unit tests must answer as a real one.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { KubeClient } from '../../src/kube/kube.ts';
import { createCoordinationLeases } from '../../src/objects/coordination-leases.ts';
import { createNotificationStore, notificationsPath } from '../../src/objects/notification-store.ts';

const NOW = new Date('2026-11-19T01:02:03.004Z');
const LABEL = { name: 'kubernaut.ai/record', value: 'notification' };

export function describeKubeCalls(what: string, open: () => Promise<{ kube: KubeClient; namespace: string }>): void {
	const fresh = () => `made-${randomBytes(6).toString('hex')}`;

	describe(`coordination Leases, ${what}`, () => {
		const leases = async () => {
			const { kube, namespace } = await open();
			return createCoordinationLeases(kube, namespace, LABEL, 30_000, () => NOW);
		};

		it('are created once, read as they were written, and listed by their label', async () => {
			const store = await leases();
			const name = fresh();
			const made = await store.create(name, { holder: 'pod_1', annotations: { state: 'Claimed' } });
			expect(made).toMatchObject({ name, holder: 'pod_1', writtenAt: NOW, annotations: { state: 'Claimed' } });
			expect(await store.create(name, { annotations: {} })).toBe('exists');
			expect(await store.read(name)).toEqual(made);
			expect(await store.read(fresh())).toBeUndefined();
			expect((await store.list()).map((lease) => lease.name)).toContain(name);
		});

		it('are replaced and removed only in the version that was read', async () => {
			const store = await leases();
			const made = await store.create(fresh(), { holder: 'pod_1', annotations: { state: 'Claimed' } });
			if (made === 'exists') throw new Error('the name is new');
			const freed = await store.replace(made, { annotations: { state: 'Delivered' } });
			expect(freed).toMatchObject({ uid: made.uid, holder: undefined, annotations: { state: 'Delivered' } });
			expect(await store.replace(made, { annotations: {} })).toBe('changed');
			expect(await store.remove(made)).toBe('changed');
			if (typeof freed === 'string') throw new Error('it was replaced');
			expect(await store.remove(freed)).toBe('removed');
			expect(await store.remove(freed)).toBe('gone');
			expect(await store.replace(freed, { annotations: {} })).toBe('changed');
		});
	});

	describe(`NotificationRequests, ${what}`, () => {
		it('have a status that is written only on the version that was read, and are removed in the same way', async () => {
			const { kube, namespace } = await open();
			const store = createNotificationStore(kube, namespace);
			const name = fresh();
			await kube.call({
				verb: 'create',
				path: notificationsPath(namespace),
				resource: 'notificationrequests',
				namespace,
				body: {
					apiVersion: 'kubernaut.ai/v1alpha1',
					kind: 'NotificationRequest',
					metadata: { name },
					spec: { type: 'Escalation', priority: 'High', subject: 's', body: 'b', channels: ['log'] },
				},
			});
			const made = await store.get(name);
			if (made === undefined) throw new Error('it was made');
			const claim = { channel: 'log', state: 'Claimed', attempt: 1, claimedBy: 'pod_1' } as const;
			const status = { phase: 'Sending', channels: ['log'], deliveries: [{ ...claim, at: new Date().toISOString() }] };
			const written = await store.patchStatus(made, status as never);
			expect(written).toMatchObject({ uid: made.uid, phase: 'Sending', deliveries: [claim] });
			expect(await store.patchStatus(made, status as never)).toBe('changed');
			expect(await store.remove(made)).toBe('changed');
			if (typeof written === 'string') throw new Error('it was written');
			expect(await store.remove(written)).toBe('removed');
			expect(await store.get(name)).toBeUndefined();
			expect(await store.patchStatus(written, status as never)).toBe('gone');
		});
	});
}
