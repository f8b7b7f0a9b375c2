// Gateways that count signals on one request as fast as the API server takes it: each writes a counter of its own, with
// JSON patches without a resourceVersion, one at a time.
import type { KubeApi } from '@kubernaut/control-plane';
import type { RemediationRequest } from '../../src/generated/remediation-request.ts';

export type CountingGateways = {
	/** Patches that were stored so far. */
	counted(): number;
	stop(): Promise<void>;
};

export const JSON_PATCH = 'application/json-patch+json';
/** The map of the gateways' counters in a RemediationRequest. */
const COUNTERS = '/status/deduplication/commits';

/** `path`: of the request. */
export async function startCounting(
	api: KubeApi,
	path: string,
	{ metadata }: RemediationRequest,
	gateways: number,
	limit = Infinity,
): Promise<CountingGateways> {
	const stopping = new AbortController();
	let counted = 0;
	const patch = (...body: object[]) =>
		api.send('PATCH', `${path}/status`, {
			body: [{ op: 'test', path: '/metadata/uid', value: metadata.uid }, ...body],
			contentType: JSON_PATCH,
		});
	await patch({ op: 'add', path: COUNTERS, value: {} });

	async function count(gateway: number): Promise<void> {
		for (let n = 1; counted < limit && !stopping.signal.aborted; n++) {
			const { status } = await patch({ op: 'add', path: `${COUNTERS}/gateway-${gateway}`, value: String(n) });
			if (status === 200) counted++;
			else if (status !== 422) return; // the request is gone; 422: it is over
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
