// RemediationRequests on the API server, as the use cases need them. A write is a create by name, or a JSON patch that tests
// what it was computed from, or (the successor) a merge patch with uid and resourceVersion: of two that exclude each other
// the API server refuses the second.
import type {
	NewRemediationRequest,
	RemediationRequest,
	RemediationRequestTargetSource,
} from '../generated/remediation-request.ts';
import { answered } from '../kube/answered.ts';
import { type KubeClient, KubeError } from '../kube/kube.ts';
import type { Signal, TargetResource } from '../signal/signal.ts';
import { requestLabels } from './request-labels.ts';
import { type NewLink, type RequestLink, toLink } from './request-link.ts';
import { countPatch, foldPatch, type JsonPatch, type Occurrences, settlePatch } from './status-patch.ts';

export const FENCING_ANNOTATION = 'kubernaut.ai/fencing-token';

/** The write may have been done, or may still be. */
export const UNANSWERED: ReadonlySet<string> = new Set(['KUBE_TIMEOUT', 'KUBE_UNAVAILABLE']);

// A test of a JSON patch that fails, and a rule of the schema that refuses, both answer 422.
const NOT_WRITTEN = { KUBE_CONFLICT: 'changed', KUBE_INVALID: 'changed', KUBE_NOT_FOUND: 'gone' } as const;
// Whole objects, of which few fields are kept.
const PAGE_SIZE = 10;

/** The lock under which it is written: the API server refuses an older holder of the same lock. */
export type Fencing = { readonly lease: string; readonly token: bigint };
/** The resource to repair, and how it was found. */
export type StoredTarget = { readonly target: TargetResource; readonly source: RemediationRequestTargetSource };
/** `changed`: nothing was written, because the request is not as the write supposes. A read shows how it is. */
export type PatchResult = RequestLink | 'changed' | 'gone';

type RemediationRequestPage = { items: RemediationRequest[]; metadata?: { continue?: string } };

export type RequestStore = {
	create(signal: Signal, found: StoredTarget, link: NewLink, fencingToken: bigint): Promise<RequestLink | 'exists'>;
	get(name: string): Promise<RequestLink | undefined>;
	list(fingerprint: string): Promise<readonly RequestLink[]>;
	setSuccessor(link: RequestLink, successor: string, fencing: Fencing): Promise<PatchResult>;
	addOccurrences(link: RequestLink, occurrences: Occurrences): Promise<PatchResult>;
	/** These slots, with the counts that were seen, become part of the base. */
	fold(link: RequestLink, slots: Readonly<Record<string, number>>): Promise<PatchResult>;
	/** The readable count becomes the total of this link. */
	settle(link: RequestLink): Promise<PatchResult>;
	/** What `resolveStep` decided. */
	recordEnd(link: RequestLink, patch: JsonPatch): Promise<PatchResult>;
};

export function requestsPath(namespace: string): string {
	return `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/remediationrequests`;
}

export function createRequestStore(kube: Pick<KubeClient, 'call'>, namespace: string): RequestStore {
	const path = requestsPath(namespace);
	const about = { resource: 'remediationrequests', namespace } as const;

	async function patchStatus(link: RequestLink, body: object, contentType: string): Promise<PatchResult> {
		const call = kube.call<RemediationRequest>({
			verb: 'patch',
			path: `${path}/${link.name}/status`,
			resource: 'remediationrequests/status',
			namespace,
			body,
			contentType,
		});
		return answered(call.then(toLink), NOT_WRITTEN);
	}
	const jsonPatch = (link: RequestLink, patch: JsonPatch) => patchStatus(link, patch, 'application/json-patch+json');

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
		async create(signal, found, link, fencingToken) {
			try {
				const body = toRequest(signal, found, link, fencingToken);
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
			const links: RequestLink[] = [];
			let token = '';
			do {
				const page = await kube.call<RemediationRequestPage>({
					...about,
					verb: 'list',
					path: `${path}?fieldSelector=${selector}&limit=${PAGE_SIZE}${token}`,
				});
				for (const item of page.items) links.push(toLink(item));
				token = page.metadata?.continue ? `&continue=${encodeURIComponent(page.metadata.continue)}` : '';
			} while (token !== '');
			return links;
		},
		setSuccessor: (link, successor, { lease, token }) =>
			patchStatus(
				link,
				{
					metadata: { uid: link.uid, resourceVersion: link.resourceVersion },
					status: { successor: { name: successor }, deduplication: { fencing: { lease, token: Number(token) } } },
				},
				'application/merge-patch+json',
			),
		addOccurrences: (link, occurrences) => jsonPatch(link, countPatch(link, occurrences)),
		fold: (link, slots) => jsonPatch(link, foldPatch(link, slots)),
		settle: (link) => jsonPatch(link, settlePatch(link)),
		recordEnd: jsonPatch,
	};
}

function toRequest(
	signal: Signal,
	{ target, source }: StoredTarget,
	{ name, chain }: NewLink,
	fencingToken: bigint,
): NewRemediationRequest {
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationRequest',
		metadata: {
			name,
			labels: requestLabels({ name: signal.name, target }),
			annotations: { [FENCING_ANNOTATION]: String(fencingToken) },
		},
		spec: {
			signalFingerprint: signal.fingerprint,
			signalName: signal.name,
			severity: signal.severity,
			signalType: signal.type,
			signalSource: signal.source,
			targetResource: { ...target },
			targetSource: source,
			...(signal.subject === undefined ? {} : { subject: { ...signal.subject } }),
			...(signal.alert === undefined ? {} : { alertId: signal.alert.id }),
			firingTime: signal.firingTime,
			receivedTime: signal.receivedTime,
			signalLabels: { ...signal.labels },
			signalAnnotations: { ...signal.annotations },
			...(signal.payload === undefined ? {} : { originalPayload: signal.payload }),
			chain,
		},
	};
}
