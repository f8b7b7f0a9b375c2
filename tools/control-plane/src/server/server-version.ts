// The API servers that Kubernaut can stand on.

import { PARTS } from '../parts/parts.ts';
import { isOlder, versionIn } from '../parts/version.ts';
import type { KubeApi } from './kube-api.ts';

/** `refused`: why this one cannot be used, in a sentence. */
export type ServerVersion = { version: string; refused?: string };

export async function askServerVersion(api: KubeApi): Promise<ServerVersion> {
	const { status, body } = await api.send('GET', '/version');
	const version = versionIn(String(body['gitVersion'] ?? ''));
	if (status !== 200 || version === undefined) {
		const answer = `${status} ${String(body['message'] ?? '').trim()}`.trim();
		return { version: 'unknown', refused: `${api.server} does not report its version (${answer})` };
	}
	// A server that emulates an older one also behaves like it.
	const emulated = body['emulationMinor'] ? `${body['emulationMajor']}.${body['emulationMinor']}` : version;
	const { oldest } = PARTS['kube-apiserver'];
	if (!isOlder(version, oldest) && !isOlder(emulated, oldest)) return { version };
	const what = isOlder(version, oldest) ? version : `${version} in emulation of ${emulated}`;
	return {
		version,
		refused: `${api.server} is Kubernetes ${what}; ${oldest} or later is needed, because only there are resourceVersions comparable, and our fencing tokens are resourceVersions`,
	};
}
