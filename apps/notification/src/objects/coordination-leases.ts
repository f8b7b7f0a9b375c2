// Leases that are no locks: records of what was sent, and the pace of a receiver. Their state stands in annotations, every
// change is compare-and-set, and their label is not that of the locks, so that the sweeper of orphans leaves them alone.
import { createHash } from 'node:crypto';
import { answered } from '../kube/answered.ts';
import type { KubeClient } from '../kube/kube.ts';
import { type LeaseObject, leasesPath, microTime } from '../kube/leases.ts';

export type CoordinationLease = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly holder: string | undefined;
	/** When it was written, by its writer's view of the API server's time. */
	readonly writtenAt: Date | undefined;
	readonly annotations: Readonly<Record<string, string>>;
};
export type LeaseState = {
	readonly holder?: string | undefined;
	readonly annotations: Readonly<Record<string, string>>;
};
export type CoordinationLeases = {
	create(name: string, state: LeaseState): Promise<CoordinationLease | 'exists'>;
	read(name: string): Promise<CoordinationLease | undefined>;
	replace(current: CoordinationLease, state: LeaseState): Promise<CoordinationLease | 'changed' | 'gone'>;
	remove(current: CoordinationLease): Promise<'removed' | 'changed' | 'gone'>;
	list(): Promise<readonly CoordinationLease[]>;
};

type AnnotatedLease = LeaseObject & {
	readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
};
type Page = { readonly items: AnnotatedLease[]; readonly metadata: { readonly continue?: string } };

const PAGE_SIZE = 500;
const CHANGED = { KUBE_CONFLICT: 'changed', KUBE_NOT_FOUND: 'gone' } as const;

export function createCoordinationLeases(
	kube: Pick<KubeClient, 'call'>,
	namespace: string,
	label: { readonly name: string; readonly value: string },
	durationMs: number,
	now: () => Date,
): CoordinationLeases {
	const path = leasesPath(namespace);
	const about = { resource: 'leases', namespace } as const;
	const manifest = (name: string, { holder, annotations }: LeaseState, version: object = {}) => ({
		apiVersion: 'coordination.k8s.io/v1',
		kind: 'Lease',
		metadata: { name, namespace, labels: { [label.name]: label.value }, annotations, ...version },
		spec: {
			...(holder === undefined ? {} : { holderIdentity: holder }),
			leaseDurationSeconds: durationMs / 1000,
			renewTime: microTime(now().toISOString()),
		},
	});
	return {
		async create(name, state) {
			const call = kube.call<AnnotatedLease>({ ...about, verb: 'create', path, body: manifest(name, state) });
			const answer = await answered(call, { KUBE_ALREADY_EXISTS: 'exists' as const });
			return answer === 'exists' ? answer : toCoordinationLease(answer);
		},
		async read(name) {
			const call = kube.call<AnnotatedLease>({ ...about, verb: 'get', path: `${path}/${name}` });
			const found = await answered(call, { KUBE_NOT_FOUND: undefined });
			return found === undefined ? undefined : toCoordinationLease(found);
		},
		async replace({ name, uid, resourceVersion }, state) {
			const body = manifest(name, state, { uid, resourceVersion });
			const call = kube.call<AnnotatedLease>({ ...about, verb: 'update', path: `${path}/${name}`, body });
			const answer = await answered(call, CHANGED);
			return typeof answer === 'string' ? answer : toCoordinationLease(answer);
		},
		remove: ({ name, uid, resourceVersion }) =>
			answered(
				kube
					.call({
						...about,
						verb: 'delete',
						path: `${path}/${name}`,
						body: { preconditions: { uid, resourceVersion } },
					})
					.then(() => 'removed' as const),
				CHANGED,
			),
		async list() {
			const selector = encodeURIComponent(`${label.name}=${label.value}`);
			const found: CoordinationLease[] = [];
			let rest = '';
			do {
				const page = await kube.call<Page>({
					...about,
					verb: 'list',
					path: `${path}?labelSelector=${selector}&limit=${PAGE_SIZE}&continue=${rest}`,
				});
				found.push(...page.items.map(toCoordinationLease));
				rest = encodeURIComponent(page.metadata.continue ?? '');
			} while (rest !== '');
			return found;
		},
	};
}

export function toCoordinationLease({ metadata, spec = {} }: AnnotatedLease): CoordinationLease {
	const { name, uid, resourceVersion, annotations = {} } = metadata;
	const { holderIdentity: holder, renewTime } = spec;
	const writtenAt = renewTime === undefined ? undefined : new Date(renewTime);
	return { name, uid, resourceVersion, holder, writtenAt, annotations };
}

/** A valid name for any key, the same in every replica and cluster. */
export function leaseNameOf(prefix: string, key: string): string {
	return prefix + createHash('sha256').update(key).digest('hex').slice(0, 32);
}
