import { describe, expect, it } from 'vitest';
import { FINGERPRINT, FIRST, SIGNAL } from '../../test/fixtures/sample-signal.ts';
import { type Fate, ModelKube } from '../../test/simulation/model-kube.ts';
import { type KubeCall, KubeError } from '../kube/kube.ts';
import type { RequestLink } from './request-link.ts';
import { createRequestStore, FENCING_ANNOTATION } from './request-store.ts';

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
		return this.store.create(SIGNAL, { name: FIRST, chain: 3 }, fencingToken);
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

const answers = (fixture: StoreFixture, link: RequestLink) => [
	() => fixture.store.setSuccessor(link, 'rr-c0ffee000000-ffffffffffffffff', { lease: 'gw-lock-1', token: 7n }),
	() => fixture.store.addOccurrences(link, { count: 9, lastSeenAt: '2026-01-01T00:00:02Z', commits: { pod: 'id' } }),
	() => fixture.store.markResolved(link, '2026-01-01T00:00:02Z'),
];

describe('create', () => {
	it('create writes the whole signal, its number in the chain and the fencing token', async () => {
		const fixture = new StoreFixture();
		await expect(fixture.create()).resolves.toMatchObject({ name: FIRST, chain: 3, count: 1 });
		expect(fixture.calls).toMatchObject([
			{
				verb: 'create',
				path: PATH,
				body: {
					metadata: { name: FIRST, annotations: { [FENCING_ANNOTATION]: '7' } },
					spec: {
						signalFingerprint: FINGERPRINT,
						signalName: 'KubePodCrashLooping',
						targetResource: { kind: 'Pod', name: 'p', namespace: 'shop' },
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
	it('each write to the status carries uid and version, and touches its own fields only', async () => {
		const fixture = new StoreFixture();
		const link = await fixture.created();
		for (const write of answers(fixture, link)) await write();
		for (const { path, body, contentType } of fixture.calls.slice(1)) {
			expect(path).toBe(`${PATH}/${FIRST}/status`);
			expect(contentType).toBe('application/merge-patch+json');
			expect(body).toMatchObject({ metadata: { uid: link.uid, resourceVersion: link.resourceVersion } });
			expect(body).not.toHaveProperty('status.overallPhase');
		}
	});

	it.each([0, 1, 2])('a write to a request that changed or is gone answers `changed` or `gone` (%i)', async (which) => {
		const fixture = new StoreFixture();
		const link = await fixture.created();
		const write = answers(fixture, link)[which]!;
		fixture.kube.serve({ verb: 'patch', name: FIRST, status: { terminal: true } });
		await expect(write()).resolves.toBe('changed');
		fixture.kube.serve({ verb: 'delete', name: FIRST });
		await expect(write()).resolves.toBe('gone');
	});

	it.each([0, 1, 2])('a write to the status throws faults (%i)', async (which) => {
		const fixture = new StoreFixture();
		const link = await fixture.created();
		fixture.kube.beforeEach = () => {
			throw new KubeError('KUBE_THROTTLED', 'slow down');
		};
		await expect(answers(fixture, link)[which]!()).rejects.toMatchObject({ code: 'KUBE_THROTTLED' });
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
		expect(fixture.calls.at(-1)?.path).toBe(`${PATH}?fieldSelector=spec.signalFingerprint%3D${FINGERPRINT}`);
	});
});
