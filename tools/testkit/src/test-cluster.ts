// The control plane of this run as a test file sees it: an administrator's client, a namespace of its own, and
// further resources that the file opens.
// All end with the test file: the hook is set when this module is loaded, because vitest forgets hooks that are set
// inside of other hooks and of tests.
import { randomBytes } from 'node:crypto';
import { AuditLog, KubeApi } from '@kubernaut/control-plane';
import { afterAll, inject } from 'vitest';
import './set-up/shared-control-plane.ts';

const closings: (() => unknown)[] = [];
const clients: KubeApi[] = [];
const namespaces: string[] = [];
afterAll(async () => {
	const faults: unknown[] = [];
	for (const close of closings.splice(0).toReversed())
		try {
			await close();
		} catch (error) {
			faults.push(error); // the others are closed all the same
		}
	if (namespaces.length > 0) {
		const api = adminApi(); // the client that created them may be closed
		for (const name of namespaces.splice(0)) await api.send('DELETE', `/api/v1/namespaces/${name}`);
	}
	for (const client of clients.splice(0)) await client.close();
	if (faults.length > 0) throw faults[0];
});

/** Done when the test file ends, the last one first: also what is opened in a hook or in a test. */
export function atTheEnd(close: () => unknown): void {
	closings.push(close);
}

/** An administrator's client; closed when the test file ends. */
export function adminApi(userAgent?: string): KubeApi {
	const api = KubeApi.fromFile(inject('controlPlane').kubeconfigPath, userAgent);
	clients.push(api);
	return api;
}

/** Undefined where the API server is not ours and keeps no log that we can read. */
export function auditLog(): AuditLog | undefined {
	const { auditDirectory } = inject('controlPlane');
	return auditDirectory === null ? undefined : new AuditLog(auditDirectory);
}

/** A fresh namespace; removed when the test file ends. */
export async function createNamespace(api: KubeApi, prefix = 'test'): Promise<string> {
	const name = `${prefix}-${randomBytes(4).toString('hex')}`;
	await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
	namespaces.push(name);
	return name;
}
