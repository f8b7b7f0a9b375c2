// Gateways that count signals on one request: each writes a counter of its own, with JSON patches without a
// resourceVersion, one at a time, without a pause or with the pause that a gateway makes on a hot request.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeApi } from '@kubernaut/control-plane';
import type { RemediationRequest } from '../../src/generated/remediation-request.ts';

export type CountingGateways = {
	/** Patches that were stored so far. */
	counted(): number;
	stop(): Promise<void>;
};

const JSON_PATCH = 'application/json-patch+json';
/** Each gateway process has a counter of its own in a RemediationRequest. */
const SLOTS = '/status/deduplication/slots';
/** As in the gateway's ingest/pace.ts. */
const PAUSE_PER_WRITE = 2;

/** `path`: of the request. */
export async function startCounting(
	api: KubeApi,
	path: string,
	{ metadata }: RemediationRequest,
	gateways: number,
	{ limit = Infinity, pause = 'none' }: { readonly limit?: number; readonly pause?: 'none' | 'as a gateway' } = {},
): Promise<CountingGateways> {
	const stopping = new AbortController();
	let counted = 0;
	const patch = (...body: object[]) =>
		api.send('PATCH', `${path}/status`, {
			body: [{ op: 'test', path: '/metadata/uid', value: metadata.uid }, ...body],
			contentType: JSON_PATCH,
		});
	async function count(gateway: number): Promise<void> {
		const slot = `${SLOTS}/gateway-${gateway}`;
		for (let n = 0; counted < limit && !stopping.signal.aborted; n++) {
			const startedAt = performance.now();
			const { status } = await patch(
				{ op: 'test', path: '/metadata/deletionTimestamp', value: null },
				{ op: 'test', path: slot, value: n === 0 ? null : n },
				{ op: 'add', path: slot, value: n + 1 },
			);
			if (status !== 200) return; // the request is over, or gone
			counted++;
			if (pause === 'as a gateway') await delay(PAUSE_PER_WRITE * (performance.now() - startedAt));
		}
	}
	const counting = Promise.all(Array.from({ length: gateways }, (_, gateway) => count(gateway)));
	return {
		counted: () => counted,
		async stop() {
			if (limit === Infinity) stopping.abort();
			await counting;
		},
	};
}
