// The model's requests sent to the real API server, and its answers in the model's types.
import type { RemediationRequest } from '../../src/generated/remediation-request.ts';
import { type KubeClient, KubeError } from '../../src/kube/kube.ts';
import { toLink } from '../../src/objects/request-link.ts';
import { FENCING_ANNOTATION, requestsPath } from '../../src/objects/request-store.ts';
import { type Answer, type Fields, type Request, type StoredLink, toObject } from './store-model.ts';

export type RealStore = { serve(request: Request): Promise<Answer> };

export function createRealStore(kube: Pick<KubeClient, 'call'>, namespace: string, fingerprint: string): RealStore {
	const path = requestsPath(namespace);
	const about = { resource: 'remediationrequests', namespace } as const;

	async function answerTo(request: Request): Promise<Answer> {
		switch (request.verb) {
			case 'create': {
				const { metadata, ...object } = toObject({ ...UNBORN, ...request }, fingerprint);
				const { status: _, ...unborn } = object;
				const body = { ...unborn, metadata: { name: metadata.name, annotations: metadata.annotations } };
				return { link: toStored(await kube.call({ ...about, verb: 'create', path, body })) };
			}
			case 'get':
				return { link: toStored(await kube.call({ ...about, verb: 'get', path: `${path}/${request.name}` })) };
			case 'list': {
				const { items } = await kube.call<{ items: RemediationRequest[] }>({ ...about, verb: 'list', path });
				return { links: items.map(toStored) };
			}
			case 'patch': {
				const { name, uid, version, status } = request;
				const { successor, terminal } = status;
				const body = {
					metadata: { uid, resourceVersion: version?.toString() },
					status: {
						successor: successor === undefined ? undefined : { name: successor },
						overallPhase: terminal ? 'Completed' : undefined,
					},
				};
				const call = { ...about, verb: 'patch', path: `${path}/${name}/status`, body } as const;
				return { link: toStored(await kube.call({ ...call, contentType: 'application/merge-patch+json' })) };
			}
			case 'adjust': {
				const body = [
					...operations(request.tests).map((each) => ({ op: 'test', ...each })),
					...operations(request.changes).map(({ path: at, value }) =>
						value === null ? { op: 'remove', path: at } : { op: 'add', path: at, value },
					),
				];
				const call = { ...about, verb: 'patch', path: `${path}/${request.name}/status`, body } as const;
				return { link: toStored(await kube.call({ ...call, contentType: 'application/json-patch+json' })) };
			}
			case 'delete': {
				const { name, uid, version, foreground } = request;
				const body = {
					preconditions: { uid, resourceVersion: version?.toString() },
					propagationPolicy: foreground ? 'Foreground' : 'Background',
				};
				await kube.call({ ...about, verb: 'delete', path: `${path}/${name}`, body });
				return { deleted: true };
			}
		}
	}
	return {
		async serve(request) {
			try {
				return await answerTo(request);
			} catch (error) {
				if (error instanceof KubeError) return { fault: error.code };
				throw error;
			}
		},
	};
}

const UNBORN: StoredLink = {
	name: '',
	uid: '',
	version: 0,
	chain: 0,
	token: '',
	terminal: false,
	deleting: false,
	occurrenceCount: 1,
	base: 0,
	slots: {},
	alerts: {},
};

const PATHS: Readonly<Record<Exclude<keyof Fields, 'slots' | 'alerts'>, string>> = {
	uid: '/metadata/uid',
	deleting: '/metadata/deletionTimestamp',
	phase: '/status/overallPhase',
	base: '/status/deduplication/base',
	occurrenceCount: '/status/deduplication/occurrenceCount',
	allAlerts: '/status/alerts',
	resolved: '/status/signalResolvedAt',
};

function operations({ slots = {}, alerts = {}, ...fields }: Fields): { path: string; value: unknown }[] {
	return [
		...Object.entries(fields).map(([field, value]) => ({ path: PATHS[field as keyof typeof PATHS], value })),
		...Object.entries(slots).map(([slot, value]) => ({ path: `/status/deduplication/slots/${slot}`, value })),
		...Object.entries(alerts).map(([id, value]) => ({ path: `/status/alerts/${id}`, value })),
	];
}

function toStored(object: RemediationRequest): StoredLink {
	const { name, uid, resourceVersion, chain, terminal, deleting, successor, occurrenceCount, base, ...more } =
		toLink(object);
	const token = object.metadata.annotations?.[FENCING_ANNOTATION] ?? '';
	const slots = Object.fromEntries(Object.entries(more.slots).toSorted(([a], [b]) => (a < b ? -1 : 1)));
	const version = Number(resourceVersion);
	return {
		name,
		uid,
		version,
		chain,
		token,
		terminal,
		deleting,
		occurrenceCount,
		base,
		slots,
		...(successor === undefined ? {} : { successor }),
		...(more.alertId === undefined ? {} : { alertId: more.alertId }),
		alerts: Object.fromEntries(Object.entries(more.alerts).toSorted(([a], [b]) => (a < b ? -1 : 1))),
		...(more.resolvedAt === undefined ? {} : { resolved: more.resolvedAt }),
	};
}
