// RemediationRequests on the API server, as the use cases need them. All writes are a create by name or a merge patch of
// our own status fields with uid and resourceVersion: the API server refuses the second of two.
import type { NewRemediationRequest, RemediationRequest } from '../generated/remediation-request.ts';
import { answered } from '../kube/answered.ts';
import { type KubeClient, KubeError } from '../kube/kube.ts';
import type { Signal } from '../signal/signal.ts';
import { type NewLink, type RequestLink, toLink } from './request-link.ts';

export const FENCING_ANNOTATION = 'kubernaut.ai/fencing-token';

/** The write may have been done, or may still be. */
export const UNANSWERED: ReadonlySet<string> = new Set(['KUBE_TIMEOUT', 'KUBE_UNAVAILABLE']);

export type OccurrencePatch = {
	readonly count: number;
	readonly lastSeenAt: string;
	/** Pod → id; null forgets a pod. */
	readonly commits: Readonly<Record<string, string | null>>;
};
/** The lock under which it is written: the API server refuses an older holder of the same lock. */
export type Fencing = { readonly lease: string; readonly token: bigint };
export type PatchResult = RequestLink | 'changed' | 'gone';

export type RequestStore = {
	create(signal: Signal, link: NewLink, fencingToken: bigint): Promise<RequestLink | 'exists'>;
	get(name: string): Promise<RequestLink | undefined>;
	list(fingerprint: string): Promise<readonly RequestLink[]>;
	setSuccessor(link: RequestLink, successor: string, fencing: Fencing): Promise<PatchResult>;
	addOccurrences(link: RequestLink, patch: OccurrencePatch): Promise<PatchResult>;
	markResolved(link: RequestLink, at: string): Promise<PatchResult>;
};

export function requestsPath(namespace: string): string {
	return `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/remediationrequests`;
}

export function createRequestStore(kube: Pick<KubeClient, 'call'>, namespace: string): RequestStore {
	const path = requestsPath(namespace);
	const about = { resource: 'remediationrequests', namespace } as const;

	async function patchStatus(link: RequestLink, status: object): Promise<PatchResult> {
		const call = kube.call<RemediationRequest>({
			verb: 'patch',
			path: `${path}/${link.name}/status`,
			resource: 'remediationrequests/status',
			namespace,
			body: { metadata: { uid: link.uid, resourceVersion: link.resourceVersion }, status },
			contentType: 'application/merge-patch+json',
		});
		return answered(call.then(toLink), { KUBE_CONFLICT: 'changed', KUBE_NOT_FOUND: 'gone' } as const);
	}

	const read = (name: string) => kube.call<RemediationRequest>({ ...about, verb: 'get', path: `${path}/${name}` });

	/** After a create without an answer: the token of our lock says whether it was done. */
	async function find(name: string, fencingToken: bigint): Promise<RequestLink | undefined> {
		try {
			const found = await read(name);
			return found.metadata.annotations?.[FENCING_ANNOTATION] === String(fencingToken) ? toLink(found) : undefined;
		} catch {
			return undefined; // still no answer: the create's own error is reported
		}
	}

	return {
		async create(signal, link, fencingToken) {
			try {
				const body = toRequest(signal, link, fencingToken);
				return toLink(await kube.call<RemediationRequest>({ ...about, verb: 'create', path, body }));
			} catch (error) {
				if (!(error instanceof KubeError)) throw error;
				if (error.code === 'KUBE_ALREADY_EXISTS') return 'exists';
				const ours = UNANSWERED.has(error.code) ? await find(link.name, fencingToken) : undefined;
				if (ours === undefined) throw error;
				return ours;
			}
		},
		get: (name) => answered(read(name).then(toLink), { KUBE_NOT_FOUND: undefined }),
		async list(fingerprint) {
			const selector = encodeURIComponent(`spec.signalFingerprint=${fingerprint}`);
			const { items } = await kube.call<{ items: RemediationRequest[] }>({
				...about,
				verb: 'list',
				path: `${path}?fieldSelector=${selector}`,
			});
			return items.map(toLink);
		},
		setSuccessor: (link, successor, { lease, token }) =>
			patchStatus(link, {
				successor: { name: successor },
				deduplication: { fencing: { lease, token: Number(token) } },
			}),
		addOccurrences: (link, { count, lastSeenAt, commits }) =>
			// The alert fires again: a request that was marked as resolved meanwhile must not be cancelled for it.
			patchStatus(link, { deduplication: { occurrenceCount: count, lastSeenAt, commits }, signalResolvedAt: null }),
		markResolved: (link, at) => patchStatus(link, { signalResolvedAt: at }),
	};
}

function toRequest(signal: Signal, { name, chain }: NewLink, fencingToken: bigint): NewRemediationRequest {
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationRequest',
		metadata: { name, annotations: { [FENCING_ANNOTATION]: String(fencingToken) } },
		spec: {
			signalFingerprint: signal.fingerprint,
			signalName: signal.name,
			severity: signal.severity,
			signalType: signal.type,
			signalSource: signal.source,
			targetResource: { ...signal.target },
			firingTime: signal.firingTime,
			receivedTime: signal.receivedTime,
			signalLabels: { ...signal.labels },
			signalAnnotations: { ...signal.annotations },
			...(signal.payload === undefined ? {} : { originalPayload: signal.payload }),
			chain,
		},
	};
}
