// The RemediationRequests of one fingerprint on the API server, as a value: unique names, a new uid for each creation,
// compare-and-set on uid and resourceVersion, consistent reads. test/store-model.int.test.ts holds it against the real one.
// Versions count per name, not for all objects: only versions of one name are ever compared, and so fewer worlds differ.

import type { RemediationRequest } from '../../src/generated/remediation-request.ts';
import type { KubeErrorCode } from '../../src/kube/kube-errors.ts';
import { FENCING_ANNOTATION } from '../../src/objects/request-store.ts';

export type StoredLink = {
	readonly name: string;
	readonly uid: string;
	readonly version: number;
	readonly chain: number;
	readonly token: string;
	readonly terminal: boolean;
	readonly deleting: boolean;
	readonly successor?: string;
	readonly count: number;
	readonly commits: Readonly<Record<string, string>>;
	readonly resolved?: true;
};
export type Store = {
	readonly links: readonly StoredLink[];
	/** Kept over deletion: versions of a name are not used again, and neither are uids. */
	readonly versions: Readonly<Record<string, number>>;
	readonly creations: Readonly<Record<string, number>>;
};

export type StatusPatch = {
	readonly successor?: string;
	readonly count?: number;
	/** Pod → id; null forgets a pod. */
	readonly commits?: Readonly<Record<string, string | null>>;
	/** Written by the orchestrator. */
	readonly terminal?: true;
	/** null takes the mark away. */
	readonly resolved?: true | null;
};
/** What it must still be; nothing given, nothing asked. */
export type Precondition = { readonly uid?: string | undefined; readonly version?: number | undefined };
export type Request =
	| { readonly verb: 'create'; readonly name: string; readonly chain: number; readonly token: string }
	| { readonly verb: 'get'; readonly name: string }
	| { readonly verb: 'list' }
	| ({ readonly verb: 'patch'; readonly name: string; readonly status: StatusPatch } & Precondition)
	/** `foreground` only marks it; it is removed later. */
	| ({ readonly verb: 'delete'; readonly name: string; readonly foreground?: boolean } & Precondition);
export type Answer =
	| { readonly link: StoredLink }
	| { readonly links: readonly StoredLink[] }
	| { readonly deleted: true }
	| { readonly fault: KubeErrorCode };
export type Served = { readonly store: Store; readonly answer: Answer };

export const EMPTY_STORE: Store = { links: [], versions: {}, creations: {} };

export function isActive({ terminal, deleting }: Pick<StoredLink, 'terminal' | 'deleting'>): boolean {
	return !terminal && !deleting;
}

export function linkOf(store: Store, name: string): StoredLink | undefined {
	return store.links.find((link) => link.name === name);
}

export function serve(store: Store, request: Request): Served {
	switch (request.verb) {
		case 'create':
			return create(store, request);
		case 'get': {
			const link = linkOf(store, request.name);
			return { store, answer: link === undefined ? { fault: 'KUBE_NOT_FOUND' } : { link } };
		}
		case 'list':
			return { store, answer: { links: store.links } };
		case 'patch':
			return patch(store, request);
		case 'delete':
			return remove(store, request);
	}
}

/** A chain of finished links, as their creators leave it. */
export function finishedChain(length: number, nameAfter: (uid: string | undefined) => string): Store {
	let store = EMPTY_STORE;
	for (let chain = 0; chain < length; chain++) {
		const newest = store.links.at(-1);
		const name = nameAfter(newest?.uid);
		if (newest !== undefined)
			({ store } = serve(store, { verb: 'patch', name: newest.name, status: { successor: name } }));
		({ store } = serve(store, { verb: 'create', name, chain, token: 'before' }));
		({ store } = serve(store, { verb: 'patch', name, status: { terminal: true } }));
	}
	return store;
}

function create(store: Store, { name, chain, token }: Extract<Request, { verb: 'create' }>): Served {
	if (linkOf(store, name) !== undefined) return { store, answer: { fault: 'KUBE_ALREADY_EXISTS' } };
	const creation = (store.creations[name] ?? 0) + 1;
	const link: StoredLink = {
		name,
		uid: `${name}#${creation}`,
		version: (store.versions[name] ?? 0) + 1,
		chain,
		token,
		terminal: false,
		deleting: false,
		count: 1,
		commits: {},
	};
	const creations = { ...store.creations, [name]: creation };
	return { store: withLink({ ...store, creations }, link), answer: { link } };
}

function patch(store: Store, { name, status, ...expected }: Extract<Request, { verb: 'patch' }>): Served {
	const link = linkOf(store, name);
	if (link === undefined) return { store, answer: { fault: 'KUBE_NOT_FOUND' } };
	if (!isAsExpected(link, expected)) return { store, answer: { fault: 'KUBE_CONFLICT' } };
	// The CRD's rules: a count never shrinks, a finished request counts no more, a successor is written once.
	const { count = link.count, successor = link.successor } = status;
	const counted = count < link.count || (link.terminal && count !== link.count);
	const renamed = link.successor !== undefined && successor !== link.successor;
	if (counted || renamed) return { store, answer: { fault: 'KUBE_INVALID' } };
	const commits = { ...link.commits, ...status.commits };
	const kept = Object.entries(commits)
		.filter((entry): entry is [string, string] => entry[1] !== null)
		.toSorted(([a], [b]) => (a < b ? -1 : 1));
	const { resolved: known, ...rest } = link;
	const { resolved = known, ...changes } = status;
	const marks = resolved ? { resolved } : {};
	const patched: StoredLink = { ...rest, ...changes, commits: Object.fromEntries(kept), ...marks };
	// What changes nothing is not written.
	if (JSON.stringify(patched) === JSON.stringify(link)) return { store, answer: { link } };
	const written = { ...patched, version: link.version + 1 };
	return { store: withLink(store, written), answer: { link: written } };
}

function remove(store: Store, { name, foreground, ...expected }: Extract<Request, { verb: 'delete' }>): Served {
	const link = linkOf(store, name);
	if (link === undefined) return { store, answer: { fault: 'KUBE_NOT_FOUND' } };
	if (!isAsExpected(link, expected)) return { store, answer: { fault: 'KUBE_CONFLICT' } };
	if (foreground && link.deleting) return { store, answer: { deleted: true } };
	const version = link.version + 1;
	if (foreground) return { store: withLink(store, { ...link, deleting: true, version }), answer: { deleted: true } };
	const links = store.links.filter((other) => other !== link);
	return { store: { ...store, links, versions: { ...store.versions, [name]: version } }, answer: { deleted: true } };
}

function isAsExpected(link: StoredLink, { uid = link.uid, version = link.version }: Precondition): boolean {
	return uid === link.uid && version === link.version;
}

function withLink(store: Store, link: StoredLink): Store {
	const others = store.links.filter(({ name }) => name !== link.name);
	const links = [...others, link].toSorted((a, b) => a.chain - b.chain || (a.name < b.name ? -1 : 1));
	return { ...store, links, versions: { ...store.versions, [link.name]: link.version } };
}

/** As the API server would write it down. */
export function toObject(link: StoredLink, fingerprint: string): RemediationRequest {
	const time = '2026-01-01T00:00:00Z';
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationRequest',
		metadata: {
			name: link.name,
			namespace: 'simulation',
			uid: link.uid,
			resourceVersion: String(link.version),
			generation: 1,
			creationTimestamp: time,
			annotations: { [FENCING_ANNOTATION]: link.token },
			...(link.deleting ? { deletionTimestamp: time } : {}),
		},
		spec: {
			signalFingerprint: fingerprint,
			signalName: 'KubePodCrashLooping',
			severity: 'critical',
			signalType: 'alert',
			signalSource: 'simulation',
			targetResource: { kind: 'Deployment', name: 'checkout' },
			firingTime: time,
			receivedTime: time,
			chain: link.chain,
		},
		status: {
			deduplication: { occurrenceCount: link.count, commits: { ...link.commits } },
			...(link.successor === undefined ? {} : { successor: { name: link.successor } }),
			...(link.terminal ? { overallPhase: 'Completed' } : {}),
			...(link.resolved ? { signalResolvedAt: time } : {}),
		},
	};
}
