// Ten gateways count alerts of one incident while those alerts end, begin again, and arrive late: after every round the
// request is marked as resolved, and in no version was it marked while an alert fired that was answered as stored.
// The gateways are the real use cases of ten replicas, without HTTP in front, each with its own cache and lock.
import { createHash } from 'node:crypto';
import { adminApi, atTheEnd, createNamespace } from '@kubernaut/testkit';
import { beforeAll, expect, inject, it } from 'vitest';
import { createGateway, type Gateway } from '../src/gateway.ts';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { createKubeClient, loadKubeConfig } from '../src/kube/kube.ts';
import { toLink, totalOf } from '../src/objects/request-link.ts';
import { requestsPath } from '../src/objects/request-store.ts';
import { SYSTEM_CLOCK } from '../src/process/clock.ts';
import type { Signal } from '../src/signal/signal.ts';
import { SIGNAL } from './fixtures/sample-signal.ts';
import { LONG } from './harness/gateways.ts';

const WRITERS = 10;
const ROUNDS = 20;
const COUNTS = 2;
const STARTED = '2026-01-01T00:00:00.000Z';
const api = adminApi();
const gateways: Gateway[] = [];
let path: string;

beforeAll(async () => {
	const namespace = await createNamespace(api, 'beside-resolves');
	path = requestsPath(namespace);
	const nothing = () => {};
	for (let i = 0; i < WRITERS; i++) {
		const kube = createKubeClient(loadKubeConfig(inject('controlPlane').kubeconfigPath), 19_000, { called() {} });
		const gateway = createGateway({
			kube,
			clock: SYSTEM_CLOCK,
			podName: `writer-${i}`,
			lockNamespace: namespace,
			requestNamespace: namespace,
			leaseDurationMs: 60_000,
			requestTimeoutMs: 19_000,
			lockObserver: new Proxy({} as Parameters<typeof createGateway>[0]['lockObserver'], { get: () => nothing }),
			retryObserver: { retrying: nothing, retrySucceeded: nothing, retryTimedOut: nothing },
			workObserver: { places: nothing },
			lookUpObserver: { lookedUp: nothing, forbidden: nothing, allowed: nothing },
			onSync: nothing,
		});
		gateways.push(gateway);
		atTheEnd(async () => {
			await gateway.stop(1000);
			await kube.close();
		});
	}
});

const at = (minute: number) => new Date(Date.parse(STARTED) + minute * 60_000).toISOString();
const idOf = (writer: number) => createHash('sha256').update(`alert ${writer}`).digest('hex').slice(0, 16);
function signalOf(round: number, writer: number, endsAt?: string): Signal {
	const alert = { id: idOf(writer), startsAt: STARTED, ...(endsAt === undefined ? {} : { endsAt }) };
	const fingerprint = createHash('sha256').update(`round ${round}`).digest('hex');
	return { ...SIGNAL, fingerprint, alert, firingTime: STARTED };
}
const options = () => ({ abort: new AbortController().signal });

it(`with ${WRITERS} counting writers beside resolves, ${ROUNDS} rounds: every request is marked, none wrongly`, async () => {
	for (const gateway of gateways) await expect.poll(() => gateway.check().ok, LONG).toBe(true);
	let wrong = 0;
	let marked = 0;
	for (let round = 0; round < ROUNDS; round++) {
		const stored = async () => {
			const all = (await api.call('GET', path))['items'] as RemediationRequest[];
			return all.find(({ spec }) => spec.signalFingerprint === signalOf(round, 0).fingerprint)!;
		};
		await gateways[0]!.ingest.ingest(signalOf(round, 0), options());
		const answers = await Promise.all(
			gateways.map(async ({ ingest }, writer) => {
				let counted = 0;
				for (let n = 0; n < COUNTS; n++)
					counted += (await ingest.ingest(signalOf(round, writer), options())).outcome === 'duplicate' ? 1 : 0;
				// Its own alert fires, and was answered as stored: whatever the others do, the request is not resolved.
				if ((await stored()).status.signalResolvedAt !== undefined) wrong++;
				// The end, reported twice, beside repetitions of the firing that were under way on other replicas.
				const [other, another] = [gateways[(writer + 1) % WRITERS]!, gateways[(writer + 2) % WRITERS]!];
				const ended = signalOf(round, writer, at(writer + 1));
				const results = await Promise.all([
					ingest.resolve(ended, options()),
					other.ingest.ingest(signalOf(round, writer), options()),
					another.ingest.resolve(ended, options()),
				]);
				expect(results.map(({ outcome }) => outcome)).toEqual([
					expect.stringMatching(/^resolved|others-fire$/),
					'duplicate',
					expect.stringMatching(/^resolved|others-fire$/),
				]);
				return counted + 1;
			}),
		);
		const request = await stored();
		if (request.status.signalResolvedAt === at(WRITERS)) marked++;
		expect(totalOf(toLink(request))).toBe(1 + answers.reduce((sum, count) => sum + count, 0));
		expect(Object.keys(request.status.alerts)).toHaveLength(WRITERS);
	}
	console.log(`${ROUNDS} rounds: ${marked} marked at their end, ${wrong} wrongly before`);
	expect({ marked, wrong }).toEqual({ marked: ROUNDS, wrong: 0 });
}, 600_000);
