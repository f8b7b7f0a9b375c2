// How long a control plane takes to be ready, and what the bare calls cost that every design here is built from.
import { KubeApi, startControlPlane } from '@kubernaut/control-plane';
import type { Result } from './result.ts';

const STARTS = 3;
const CALLS = 50;

export async function benchControlPlane(report: (text: string) => void): Promise<Result[]> {
	const starts: number[] = [];
	for (let i = 1; i <= STARTS; i++) {
		const startedAt = performance.now();
		const controlPlane = await startControlPlane();
		starts.push(performance.now() - startedAt);
		report(`start ${i} of ${STARTS}: ${Math.round(starts.at(-1) ?? 0)} ms`);
		if (i < STARTS) {
			await controlPlane.stop();
			continue;
		}
		const api = KubeApi.fromFile(controlPlane.kubeconfigPath);
		try {
			return [
				{ name: 'startup.ms', value: Math.max(...starts), unit: 'ms', target: { atMost: 10_000 } },
				...(await measureCalls(api, report)),
			];
		} finally {
			await api.close();
			await controlPlane.stop();
		}
	}
	throw new Error('at least one start is measured');
}

async function measureCalls(api: KubeApi, report: (text: string) => void): Promise<Result[]> {
	const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
	const configMaps = '/api/v1/namespaces/default/configmaps';
	const lease = (i: number) => ({ metadata: { name: `bench-${i}` }, spec: { holderIdentity: 'bench' } });
	await api.call('GET', leases); // the connection is there before the clock runs
	report(`${CALLS} calls of each kind, one after the other`);
	return [
		{ name: 'create.ms', unit: 'ms', value: await p50((i) => api.call('POST', leases, { body: lease(i) })) },
		{ name: 'get.ms', unit: 'ms', value: await p50((i) => api.call('GET', `${leases}/bench-${i}`)) },
		{
			// The watch cache of one resource must wait until etcd tells it that nothing was missed elsewhere.
			name: 'listAfterWriteElsewhere.ms',
			unit: 'ms',
			value: await p50(
				() => api.call('GET', leases),
				(i) => api.call('POST', configMaps, { body: { metadata: { name: `bench-${i}` } } }),
			),
		},
		{ name: 'delete.ms', unit: 'ms', value: await p50((i) => api.call('DELETE', `${leases}/bench-${i}`)) },
	];
}

async function p50(
	measured: (i: number) => Promise<unknown>,
	before?: (i: number) => Promise<unknown>,
): Promise<number> {
	const times: number[] = [];
	for (let i = 0; i < CALLS; i++) {
		await before?.(i);
		const startedAt = performance.now();
		await measured(i);
		times.push(performance.now() - startedAt);
	}
	return times.toSorted((a, b) => a - b)[Math.floor(CALLS / 2)] ?? Number.NaN;
}
