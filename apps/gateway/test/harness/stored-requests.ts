// Stored requests that a test makes itself, of any size: what a gateway finds when it starts, or lists again.
import { createHash } from 'node:crypto';
import type { KubeApi } from '@kubernaut/control-plane';
import type { NewRemediationRequest } from '../../src/generated/remediation-request.ts';
import { linkName } from '../../src/objects/request-link.ts';
import { requestsPath } from '../../src/objects/request-store.ts';

const PARALLEL = 32;
const ANNOTATION_BYTES = 4096;

/** `bytes`: about the size of each, in annotations. */
export async function storeRequests(api: KubeApi, namespace: string, count: number, bytes: number): Promise<void> {
	const rest = Array.from({ length: count }, (_, i) => i).values();
	const store = async () => {
		for (const i of rest)
			await api.call('POST', requestsPath(namespace), { body: storedRequest(i, `large-${i}`, bytes) });
	};
	await Promise.all(Array.from({ length: PARALLEL }, store));
}

/** As a gateway creates it; `i` makes it another incident. */
export function storedRequest(i: number, deployment: string, bytes = 0): NewRemediationRequest {
	const fingerprint = createHash('sha256').update(`${deployment}-${i}`).digest('hex');
	const now = new Date().toISOString();
	const annotations = Math.min(64, Math.floor(bytes / ANNOTATION_BYTES));
	const text = 'x'.repeat(ANNOTATION_BYTES);
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationRequest',
		metadata: { name: linkName(fingerprint, undefined) },
		spec: {
			signalFingerprint: fingerprint,
			signalName: 'Stored',
			severity: 'critical',
			signalType: 'alert',
			signalSource: 'test',
			targetResource: { kind: 'Deployment', name: deployment, namespace: 'shop' },
			firingTime: now,
			receivedTime: now,
			signalLabels: {},
			signalAnnotations: Object.fromEntries(Array.from({ length: annotations }, (_, n) => [`note-${n}`, text])),
			originalPayload: '',
			chain: 0,
		},
	};
}
