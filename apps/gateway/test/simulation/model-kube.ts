// The model behind the gateway's port to the API server, for tests that need no server: what kube.ts would send and get.
import type { RemediationRequest } from '../../src/generated/remediation-request.ts';
import { type KubeCall, KubeError } from '../../src/kube/kube.ts';
import { FENCING_ANNOTATION } from '../../src/objects/request-store.ts';
import type { JsonPatch } from '../../src/objects/status-patch.ts';
import {
	type Answer,
	EMPTY_STORE,
	type Fields,
	type Request,
	type StatusPatch,
	type Store,
	serve,
	toObject,
} from './store-model.ts';

/** Fate of a request: it is answered; it is done and the answer is lost; it never arrives. */
export type Fate = 'answered' | 'answer lost' | 'lost';

export class ModelKube {
	store: Store = EMPTY_STORE;
	readonly requests: Request[] = [];
	/** Called before each request is served; it may also change the store, throw, or take its time. */
	beforeEach: (request: Request, number: number) => Fate | Promise<Fate> = () => 'answered';
	readonly #fingerprint: string;

	constructor(fingerprint: string) {
		this.#fingerprint = fingerprint;
	}

	readonly call = async <T>(kubeCall: KubeCall): Promise<T> => {
		const request = toModelRequest(kubeCall);
		this.requests.push(request);
		const fate = await this.beforeEach(request, this.requests.length);
		const answer = fate === 'lost' ? undefined : this.serve(request);
		if (answer === undefined || fate === 'answer lost') throw new KubeError('KUBE_TIMEOUT', 'no answer');
		return objectOf(answer, this.#fingerprint) as T;
	};

	/** As another client. */
	serve(request: Request): Answer {
		const { store, answer } = serve(this.store, request);
		this.store = store;
		return answer;
	}

	/** With a limit: endless turns of microtasks would keep even the test's time limit from coming. */
	async untilAsked(): Promise<void> {
		for (let turns = 0; this.requests.length === 0; turns++) {
			if (turns === 10_000) throw new Error('the API server was not called');
			await Promise.resolve();
		}
	}

	get verbs(): string[] {
		return this.requests.map(({ verb }) => verb);
	}
}

export function objectOf(answer: Answer, fingerprint: string): unknown {
	if ('fault' in answer) throw new KubeError(answer.fault, answer.fault);
	if ('deleted' in answer) return {};
	return 'link' in answer
		? toObject(answer.link, fingerprint)
		: { items: answer.links.map((link) => toObject(link, fingerprint)) };
}

export function toModelRequest({ verb, path, body }: KubeCall): Request {
	const lastOf = (text: string) => text.slice(text.lastIndexOf('/') + 1);
	if (verb === 'list') return { verb };
	if (verb === 'get') return { verb, name: lastOf(path) };
	if (verb === 'create') {
		const { metadata, spec } = body as RemediationRequest;
		const alert = spec.alertId === undefined ? {} : { alertId: spec.alertId };
		const token = metadata.annotations?.[FENCING_ANNOTATION] ?? '';
		return { verb, name: metadata.name, chain: spec.chain, token, ...alert };
	}
	if (verb !== 'patch') throw new Error(`the gateway does not ${verb} requests`);
	const name = lastOf(path.replace(/\/status$/, ''));
	if (Array.isArray(body)) return { verb: 'adjust', name, ...fieldsOf(body as JsonPatch) };
	const { metadata, status } = body as RemediationRequest;
	const { successor } = status;
	const patch: StatusPatch = successor === undefined ? {} : { successor: successor.name };
	return { verb, name, uid: metadata.uid, version: Number(metadata.resourceVersion), status: patch };
}

const FIELDS: Readonly<Record<string, Exclude<keyof Fields, 'slots' | 'alerts'>>> = {
	'/metadata/uid': 'uid',
	'/metadata/deletionTimestamp': 'deleting',
	'/status/overallPhase': 'phase',
	'/status/deduplication/base': 'base',
	'/status/deduplication/occurrenceCount': 'occurrenceCount',
	'/status/alerts': 'allAlerts',
	'/status/signalResolvedAt': 'resolved',
};
const MAPS = { '/status/deduplication/slots/': 'slots', '/status/alerts/': 'alerts' } as const;
/** Nothing depends on it. */
const LAST_SEEN_AT = '/status/deduplication/lastSeenAt';

export function fieldsOf(patch: JsonPatch): { tests: Fields; changes: Fields } {
	const [tests, changes] = [{}, {}] as Record<string, unknown>[];
	for (const operation of patch) {
		const { op, path } = operation;
		const into = op === 'test' ? tests! : changes!;
		const value = operation.op === 'remove' ? null : operation.value;
		const [prefix, map] = Object.entries(MAPS).find(([start]) => path.startsWith(start)) ?? [];
		if (prefix !== undefined && map !== undefined)
			into[map] = { ...(into[map] as object), [path.slice(prefix.length)]: value };
		else if (FIELDS[path] !== undefined) into[FIELDS[path]] = value;
		else if (path !== LAST_SEEN_AT) throw new Error(`the model knows no ${path}`);
	}
	return { tests: tests as Fields, changes: changes as Fields };
}
