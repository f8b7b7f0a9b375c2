// The RemediationRequests of one fingerprint on the API server, as a value: unique names, a new uid for each creation,
// compare-and-set on uid and resourceVersion, patches that test fields, the CRD's rules, consistent reads.
// test/store-model.int.test.ts holds it against the real one.
// Versions count per name, not for all objects: only versions of one name are ever compared, and so fewer worlds differ.

import { isDeepStrictEqual } from 'node:util';
import type { RemediationRequest } from '../../src/generated/remediation-request.ts';
import type { KubeErrorCode } from '../../src/kube/kube-errors.ts';
import type { AlertEntry } from '../../src/objects/alert-entries.ts';
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
	readonly occurrenceCount: number;
	readonly base: number;
	readonly slots: Readonly<Record<string, number>>;
	/** The alert that made it. */
	readonly alertId?: string;
	readonly alerts: Readonly<Record<string, AlertEntry>>;
	readonly resolved?: string;
};
export type Store = {
	readonly links: readonly StoredLink[];
	/** Kept over deletion: versions of a name are not used again, and neither are uids. */
	readonly versions: Readonly<Record<string, number>>;
	readonly creations: Readonly<Record<string, number>>;
};

export type StatusPatch = {
	readonly successor?: string;
	/** Written by the orchestrator. */
	readonly terminal?: true;
};
/** Fields that a JSON patch tests or changes; null: absent. */
export type Fields = {
	readonly uid?: string;
	readonly deleting?: null;
	readonly phase?: string | null;
	readonly slots?: Readonly<Record<string, number | null>>;
	readonly base?: number;
	readonly occurrenceCount?: number;
	readonly alerts?: Readonly<Record<string, AlertEntry | null>>;
	/** All of them, in a test. */
	readonly allAlerts?: Readonly<Record<string, AlertEntry>>;
	readonly resolved?: string | null;
};
/** The CRD's rules about counters and alerts. A mutant has one less. */
export type Schema = {
	readonly countersGrow: boolean;
	readonly endedCountsNoMore: boolean;
	/** A mark only when all alerts have ended, and an alert that ended begins again only after its end. */
	readonly alertsEnd: boolean;
};
export const SCHEMA: Schema = { countersGrow: true, endedCountsNoMore: true, alertsEnd: true };
/** What it must still be; nothing given, nothing asked. */
export type Precondition = { readonly uid?: string | undefined; readonly version?: number | undefined };
export type Request =
	| {
			readonly verb: 'create';
			readonly name: string;
			readonly chain: number;
			readonly token: string;
			readonly alertId?: string;
	  }
	| { readonly verb: 'get'; readonly name: string }
	| { readonly verb: 'list' }
	| ({ readonly verb: 'patch'; readonly name: string; readonly status: StatusPatch } & Precondition)
	| { readonly verb: 'adjust'; readonly name: string; readonly tests: Fields; readonly changes: Fields }
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

export function totalOf({ base, slots }: Pick<StoredLink, 'base' | 'slots'>): number {
	return Object.values(slots).reduce((sum, count) => sum + count, 1 + base);
}

export function serve(store: Store, request: Request, schema = SCHEMA): Served {
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
		case 'adjust':
			return adjust(store, request, schema);
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

function create(store: Store, { name, chain, token, alertId }: Extract<Request, { verb: 'create' }>): Served {
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
		occurrenceCount: 1,
		base: 0,
		slots: {},
		...(alertId === undefined ? {} : { alertId }),
		alerts: {},
	};
	const creations = { ...store.creations, [name]: creation };
	return { store: withLink({ ...store, creations }, link), answer: { link } };
}

function patch(store: Store, { name, status, ...expected }: Extract<Request, { verb: 'patch' }>): Served {
	const link = linkOf(store, name);
	if (link === undefined) return { store, answer: { fault: 'KUBE_NOT_FOUND' } };
	if (!isAsExpected(link, expected)) return { store, answer: { fault: 'KUBE_CONFLICT' } };
	// A successor is written once.
	const { successor = link.successor } = status;
	if (link.successor !== undefined && successor !== link.successor) return { store, answer: { fault: 'KUBE_INVALID' } };
	return write(store, link, { ...link, ...status });
}

/** Refused as a whole when a test fails or a rule is broken: 422 for both. */
function adjust(store: Store, { name, tests, changes }: Extract<Request, { verb: 'adjust' }>, schema: Schema): Served {
	const link = linkOf(store, name);
	if (link === undefined) return { store, answer: { fault: 'KUBE_NOT_FOUND' } };
	const changed = adjusted(link, changes);
	return !passes(link, tests) || breaksRule(link, changed, schema)
		? { store, answer: { fault: 'KUBE_INVALID' } }
		: write(store, link, changed);
}

function passes(link: StoredLink, { slots = {}, alerts = {}, allAlerts, ...tests }: Fields): boolean {
	const fields: Fields = { uid: link.uid, base: link.base, occurrenceCount: link.occurrenceCount };
	const optional: Fields = {
		phase: link.terminal ? 'Completed' : null,
		resolved: link.resolved ?? null,
	};
	if (tests.deleting === null && link.deleting) return false;
	const current: Record<string, unknown> = { ...fields, ...optional, deleting: null };
	return (
		Object.entries(tests).every(([field, value]) => current[field] === value) &&
		Object.entries(slots).every(([slot, count]) => (link.slots[slot] ?? null) === count) &&
		Object.entries(alerts).every(([id, entry]) => isSame(link.alerts[id] ?? null, entry)) &&
		(allAlerts === undefined || isSame(link.alerts, allAlerts))
	);
}

function adjusted(link: StoredLink, { slots = {}, alerts = {}, ...changes }: Fields): StoredLink {
	const { resolved: resolvedBefore, ...rest } = link;
	const { base = link.base, occurrenceCount = link.occurrenceCount } = changes;
	const { resolved = resolvedBefore } = changes;
	return {
		...rest,
		base,
		occurrenceCount,
		slots: changedMap(link.slots, slots),
		alerts: changedMap(link.alerts, alerts),
		...(resolved ? { resolved } : {}),
	};
}

/** Sorted, so that equal worlds look equal. */
function changedMap<T>(
	before: Readonly<Record<string, T>>,
	changes: Readonly<Record<string, T | null>>,
): Record<string, T> {
	return Object.fromEntries(
		Object.entries({ ...before, ...changes })
			.filter((entry): entry is [string, T & {}] => entry[1] !== null)
			.toSorted(([a], [b]) => (a < b ? -1 : 1)),
	);
}

function breaksRule(before: StoredLink, after: StoredLink, schema: Schema): boolean {
	const { countersGrow, endedCountsNoMore } = schema;
	const counters = ({ base, slots }: StoredLink) => JSON.stringify([base, slots]);
	const readable = after.occurrenceCount;
	return (
		(schema.alertsEnd && breaksAlerts(before, after)) ||
		(countersGrow && totalOf(after) < totalOf(before)) ||
		(endedCountsNoMore && before.terminal && counters(before) !== counters(after)) ||
		readable < before.occurrenceCount ||
		(readable !== before.occurrenceCount && readable > totalOf(after))
	);
}

function breaksAlerts(before: StoredLink, after: StoredLink): boolean {
	const entries = Object.entries(after.alerts);
	const isMarkedEarly =
		after.resolved !== undefined &&
		(entries.some(([, { endsAt }]) => endsAt === undefined) ||
			(after.alertId !== undefined && after.alerts[after.alertId]?.endsAt === undefined));
	return (
		isMarkedEarly ||
		entries.some(([id, { startsAt, endsAt }]) => {
			const was = before.alerts[id];
			if (endsAt !== undefined && endsAt <= startsAt) return true;
			if (was === undefined) return false;
			return startsAt < was.startsAt || (was.endsAt !== undefined && endsAt === undefined && startsAt <= was.endsAt);
		})
	);
}

function isSame(a: unknown, b: unknown): boolean {
	return isDeepStrictEqual(a, b);
}

function write(store: Store, link: StoredLink, changed: StoredLink): Served {
	// What changes nothing is not written.
	if (JSON.stringify(changed) === JSON.stringify(link)) return { store, answer: { link } };
	const written = { ...changed, version: link.version + 1 };
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
			...(link.alertId === undefined ? {} : { alertId: link.alertId }),
		},
		status: {
			alerts: { ...link.alerts },
			deduplication: {
				occurrenceCount: link.occurrenceCount,
				base: link.base,
				slots: { ...link.slots },
			},
			...(link.successor === undefined ? {} : { successor: { name: link.successor } }),
			...(link.terminal ? { overallPhase: 'Completed' } : {}),
			...(link.resolved === undefined ? {} : { signalResolvedAt: link.resolved }),
		},
	};
}
