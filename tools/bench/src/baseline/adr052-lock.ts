// The lock of ADR-052, section "Core Pattern Components", as written there: look, then create, recognise or take over;
// release by name. What the document leaves to the language is done the way its Go would: MicroTime, 409 by reason.
import { createHash } from 'node:crypto';
import { type KubeApi, KubeApiError, type KubeResponse } from '@kubernaut/control-plane';

export type Adr052Lock = {
	/** False: another pod holds it. API errors are thrown. */
	acquireLock(key: string): Promise<boolean>;
	releaseLock(key: string): Promise<void>;
};

export type Adr052LockOptions = {
	api: KubeApi;
	namespace: string;
	/** The pod's name: all requests of a pod are one holder. */
	holderId: string;
	leaseDurationMs: number;
};

export function createAdr052Lock({ api, namespace, holderId, leaseDurationMs }: Adr052LockOptions): Adr052Lock {
	const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;

	async function acquireLock(key: string): Promise<boolean> {
		const name = leaseName(key);
		const found = await api.send('GET', `${leases}/${name}`);
		const now = microTime(new Date());
		if (found.status === 404) {
			const spec = {
				holderIdentity: holderId,
				leaseDurationSeconds: leaseDurationMs / 1000,
				acquireTime: now,
				renewTime: now,
			};
			const created = await api.send('POST', leases, { body: { metadata: { name, namespace }, spec } });
			return trueUnless('AlreadyExists', 'POST', leases, created);
		}
		if (found.status >= 400) throw new KubeApiError('GET', `${leases}/${name}`, found);
		const lease = found.body;
		if (lease['spec'].holderIdentity === holderId) return true;
		if (!isLeaseExpired(lease['spec'], Date.now())) return false;
		const body = { ...lease, spec: { ...lease['spec'], holderIdentity: holderId, renewTime: now } };
		const updated = await api.send('PUT', `${leases}/${name}`, { body });
		return trueUnless('Conflict', 'PUT', `${leases}/${name}`, updated);
	}

	async function releaseLock(key: string): Promise<void> {
		const path = `${leases}/${leaseName(key)}`;
		const deleted = await api.send('DELETE', path);
		if (deleted.status >= 400 && deleted.status !== 404) throw new KubeApiError('DELETE', path, deleted);
	}

	return { acquireLock, releaseLock };
}

/** Step 2, "Example for long keys". */
export function leaseName(key: string): string {
	return `gw-lock-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

/** By the wall clocks of both pods, as the document has it. */
export function isLeaseExpired(spec: { renewTime?: string; leaseDurationSeconds?: number }, nowMs: number): boolean {
	if (spec.renewTime === undefined || spec.leaseDurationSeconds === undefined) return true;
	return nowMs > Date.parse(spec.renewTime) + spec.leaseDurationSeconds * 1000;
}

function trueUnless(lostBy: string, method: string, path: string, answer: KubeResponse): boolean {
	if (answer.status < 400) return true;
	if (answer.status === 409 && answer.body['reason'] === lostBy) return false;
	throw new KubeApiError(method, path, answer);
}

function microTime(date: Date): string {
	return date.toISOString().replace('Z', '000Z');
}
