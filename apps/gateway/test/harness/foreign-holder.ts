// A holder of a deployment's lock that is none of the gateways.
import type { KubeApi } from '@kubernaut/control-plane';
import { type LeaseObject, microTime } from '../../src/kube/leases.ts';
import { leaseNameOf } from './alerts.ts';
import type { Gateways } from './gateways.ts';

export const FOREIGN_HOLDER = 'foreign_0123456789abcdef';
/** Longer than a test. */
const LEASE_SECONDS = 300;

export type ForeignHolder = {
	/** Resolves to the Lease as the holder wrote it last. */
	release(): Promise<LeaseObject>;
};

/** With `renewEveryMs` the holder is seen to be alive; a write by anything else in between would make it fail. */
export async function holdLock(
	api: KubeApi,
	{ leasesPath }: Pick<Gateways, 'leasesPath'>,
	deployment: string,
	{ renewEveryMs }: { readonly renewEveryMs?: number } = {},
): Promise<ForeignHolder> {
	const path = `${leasesPath}/${leaseNameOf(deployment)}`;
	const now = () => microTime(new Date().toISOString());
	const spec = { holderIdentity: FOREIGN_HOLDER, leaseDurationSeconds: LEASE_SECONDS, acquireTime: now() };
	const metadata = { name: leaseNameOf(deployment), labels: { 'kubernaut.ai/lock': 'gateway' } };
	let lease = await api.call('POST', leasesPath, { body: { metadata, spec: { ...spec, renewTime: now() } } });
	const released = new AbortController();
	const renewing = renewEveryMs === undefined ? undefined : renew(renewEveryMs);
	async function renew(everyMs: number): Promise<void> {
		while (!released.signal.aborted) {
			await new Promise((resolve) => setTimeout(resolve, everyMs));
			lease = await api.call('PUT', path, { body: { ...lease, spec: { ...lease['spec'], renewTime: now() } } });
		}
	}
	return {
		async release() {
			released.abort();
			await renewing;
			await api.call('DELETE', path);
			return lease as unknown as LeaseObject;
		},
	};
}
