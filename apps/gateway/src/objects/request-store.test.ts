import { describe, expect, it } from 'vitest';
import { ALERT, FINGERPRINT, FIRST, SIGNAL } from '../../test/fixtures/sample-signal.ts';
import { type Fate, ModelKube } from '../../test/simulation/model-kube.ts';
import { type KubeCall, KubeError } from '../kube/kube.ts';
import type { RequestLink } from './request-link.ts';
import { createRequestStore, FENCING_ANNOTATION, type PatchResult, type RequestStore } from './request-store.ts';
import { resolveStep } from './resolve-step.ts';

const LATER = '2026-01-01T00:00:02Z';
const WORKLOAD = { kind: 'Deployment', name: 'w', namespace: 'shop' } as const;
const PATH = '/apis/kubernaut.ai/v1alpha1/namespaces/ns/remediationrequests';

class StoreFixture {
	readonly kube = new ModelKube(FINGERPRINT);
	readonly calls: KubeCall[] = [];
	readonly store = createRequestStore(
		{
			call: <T>(call: KubeCall) => {
				this.calls.push(call);
				return this.kube.call<T>(call);
			},
		},
		'ns',
	);

	create(fencingToken = 7n) {
		return this.store.create(SIGNAL, { target: WORKLOAD, source: 'Owner' }, { name: FIRST, chain: 3 }, fencingToken);
	}

	async created(): Promise<RequestLink> {
		const link = await this.create();
		if (link === 'exists') throw new Error('it is the first');
		return link;
	}

	/** The next requests: their fates, one after the other. */
	fates(...fates: readonly Fate[]): void {
		const rest = fates.values();
		this.kube.beforeEach = () => rest.next().value ?? 'answered';
	}
}

const OCCURRENCES = { slot: 'pod/1~', count: 2, lastSeenAt: LATER, alerts: [], settles: true } as const;
const FENCING = { lease: 'gw-lock-1', token: 7n } as const;
/** Each write to the status. */
const WRITES: Readonly<Record<string, (store: RequestStore, link: RequestLink) => Promise<PatchResult>>> = {
	setSuccessor: (store, link) => store.setSuccessor(link, 'rr-c0ffee000000-ffffffffffffffff', FENCING),
	addOccurrences: (store, link) => store.addOccurrences(link, { ...OCCURRENCES, slot: 'pod' }),
	fold: (store, link) => store.fold(link, { old: 3 }),
	settle: (store, link) => store.settle({ ...link, slots: { old: 3 } }),
	recordEnd: (store, link) => {
		const step = resolveStep(link, { ...ALERT, endsAt: LATER });
		if (step.step !== 'write') throw new Error('it fires');
		return store.recordEnd(link, step.patch);
	},
};

describe('create', () => {
	it('create writes the whole signal, its number in the chain and the fencing token', async () => {
		const fixture = new StoreFixture();
		await expect(fixture.create()).resolves.toMatchObject({ name: FIRST, chain: 3, slots: {} });
		expect(fixture.calls).toMatchObject([
			{
				verb: 'create',
				path: PATH,
				body: {
					metadata: { name: FIRST, annotations: { [FENCING_ANNOTATION]: '7' } },
					spec: {
						signalFingerprint: FINGERPRINT,
						signalName: 'KubePodCrashLooping',
						targetResource: WORKLOAD,
						targetSource: 'Owner',
						subject: { kind: 'Pod', name: 'p', namespace: 'shop' },
						alertId: ALERT.id,
						signalLabels: { a: 'b' },
						originalPayload: '{}',
						chain: 3,
					},
				},
			},
		]);
	});

	it('create answers `exists` when the name is taken', async () => {
		const fixture = new StoreFixture();
		await fixture.create();
		await expect(fixture.create()).resolves.toBe('exists');
	});

	it('a create whose answer was lost is found by its fencing token', async () => {
		const fixture = new StoreFixture();
		fixture.fates('answer lost');
		await expect(fixture.create()).resolves.toMatchObject({ name: FIRST });
	});

	it('a create whose answer was lost does not claim a request with another fencing token', async () => {
		const fixture = new StoreFixture();
		await fixture.create(6n);
		fixture.fates('lost');
		await expect(fixture.create(7n)).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
	});

	it('a create without an answer fails with its own fault when the read fails too', async () => {
		const fixture = new StoreFixture();
		fixture.fates('lost', 'lost');
		await expect(fixture.create()).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
	});

	it('a create that the API server refuses is not followed by a read', async () => {
		const fixture = new StoreFixture();
		fixture.kube.beforeEach = () => {
			throw new KubeError('KUBE_FORBIDDEN', 'no');
		};
		await expect(fixture.create()).rejects.toMatchObject({ code: 'KUBE_FORBIDDEN' });
		expect(fixture.calls).toHaveLength(1);
	});
});

describe('each write to the status', () => {
	it('the successor is written with uid and version', async () => {
		const fixture = new StoreFixture();
		const link = await fixture.created();
		await WRITES['setSuccessor']!(fixture.store, link);
		expect(fixture.calls.at(-1)).toMatchObject({
			path: `${PATH}/${FIRST}/status`,
			contentType: 'application/merge-patch+json',
			body: { metadata: { uid: link.uid, resourceVersion: link.resourceVersion } },
		});
	});

	it('a count tests its own slot, uid and deletion, no version, and other fields only when they change', async () => {
		const fixture = new StoreFixture();
		const link = await fixture.created();
		await fixture.store.addOccurrences(link, OCCURRENCES);
		const { path, contentType, body } = fixture.calls.at(-1)!;
		expect({ path, contentType }).toEqual({
			path: `${PATH}/${FIRST}/status`,
			contentType: 'application/json-patch+json',
		});
		const slot = '/status/deduplication/slots/pod~11~0';
		expect(body).toEqual([
			{ op: 'test', path: '/metadata/uid', value: link.uid },
			{ op: 'test', path: '/metadata/deletionTimestamp', value: null },
			{ op: 'test', path: slot, value: null },
			{ op: 'add', path: slot, value: 2 },
			{ op: 'add', path: '/status/deduplication/lastSeenAt', value: LATER },
			{ op: 'test', path: '/status/deduplication/occurrenceCount', value: 1 },
			{ op: 'add', path: '/status/deduplication/occurrenceCount', value: 3 },
		]);
	});

	it.each(Object.entries(WRITES))(
		'%s answers `changed` or `gone` when the request is not as supposed',
		async (_, write) => {
			const fixture = new StoreFixture();
			const link = { ...(await fixture.created()), occurrenceCount: 9 };
			fixture.kube.serve({ verb: 'patch', name: FIRST, status: { terminal: true } });
			await expect(write(fixture.store, link)).resolves.toBe('changed');
			fixture.kube.serve({ verb: 'delete', name: FIRST });
			await expect(write(fixture.store, link)).resolves.toBe('gone');
		},
	);

	it.each(Object.entries(WRITES))('%s throws faults', async (_, write) => {
		const fixture = new StoreFixture();
		const link = await fixture.created();
		fixture.kube.beforeEach = () => {
			throw new KubeError('KUBE_THROTTLED', 'slow down');
		};
		await expect(write(fixture.store, link)).rejects.toMatchObject({ code: 'KUBE_THROTTLED' });
	});
});

describe('reads', () => {
	it('get answers with the link or undefined, or throws a fault', async () => {
		const fixture = new StoreFixture();
		await expect(fixture.store.get(FIRST)).resolves.toBeUndefined();
		await fixture.create();
		await expect(fixture.store.get(FIRST)).resolves.toMatchObject({ name: FIRST });
		fixture.fates('lost');
		await expect(fixture.store.get(FIRST)).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
	});

	it('list is a consistent read of one fingerprint', async () => {
		const fixture = new StoreFixture();
		await fixture.create();
		await expect(fixture.store.list(FINGERPRINT)).resolves.toMatchObject([{ name: FIRST }]);
		expect(fixture.calls.at(-1)?.path).toBe(`${PATH}?fieldSelector=spec.signalFingerprint%3D${FINGERPRINT}&limit=10`);
	});
});
