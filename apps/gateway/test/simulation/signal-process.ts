// The gateway's real code (ingest, chain, count, store, cache) as a process whose every call to the API server waits for
// its answer. The code is deterministic: the next call follows from the view and the answers so far. So a process is a
// tree, each node reached by one row of answers, and the code runs once per node, from the start.
import { BACKOFF_PRESETS, createBackoff } from '@kubernaut/backoff';
import { IdleSlots } from '../../src/ingest/idle-slots.ts';
import { createSignalIngest, type IngestParts } from '../../src/ingest/ingest-signal.ts';
import { OccurrenceCommitter } from '../../src/ingest/occurrence-commit.ts';
import { createWorkPlaces } from '../../src/ingest/work-places.ts';
import type { KubeCall } from '../../src/kube/kube.ts';
import { RequestCache } from '../../src/objects/request-cache.ts';
import { toLink } from '../../src/objects/request-link.ts';
import { createRequestStore } from '../../src/objects/request-store.ts';
import type { AlertOccurrence, IngestResult, ResolveResult } from '../../src/signal/signal.ts';
import { NAMED_TARGETS } from '../fixtures/named-targets.ts';
import { ALERT, FINGERPRINT, SIGNAL, sampleLink } from '../fixtures/sample-signal.ts';
import { objectOf, toModelRequest } from './model-kube.ts';
import { type Answer, type Request, type Store, type StoredLink, toObject } from './store-model.ts';

const FENCING_TOKEN = '1';

/** Takes one safety ingredient out of the code, from the outside. */
export type Mutation = {
	/** Another request instead, or an answer without one. */
	readonly request?: (request: Request, pod: string) => Request | Answer;
	readonly answer?: (answer: Answer, request: Request, pod: string) => Answer;
	/** What the cache makes of all that there is. */
	readonly view?: (links: readonly StoredLink[]) => readonly StoredLink[];
};
/** Events that the cache has received so far; `versions` date what is gone. */
export type View = Pick<Store, 'links' | 'versions'>;
type Input =
	| { readonly answer: Answer }
	| { readonly view: View }
	/** Another signal comes, after the result of the one before. */
	| { readonly signal: true };
export type Step = { readonly request: Request } | { readonly result: IngestResult | ResolveResult };
export type ProcessNode = {
	readonly id: number;
	readonly step: Step;
	/** The link of the last answer. */
	readonly lastLink: StoredLink | undefined;
	readonly timedOut: boolean;
	readonly view: View;
	/** The API server has answered its request. */
	answered(answer: Answer): Promise<ProcessNode> | ProcessNode;
	/** Its watch has caught up while the request was under way. */
	caughtUp(view: View): Promise<ProcessNode> | ProcessNode;
	/** It has its result, and another signal comes. */
	signalled(): Promise<ProcessNode> | ProcessNode;
};

/** Locks are left out on purpose: every process gets in at once. */
const NO_LOCK: Pick<IngestParts['lock'], 'withLock' | 'waitForRelease' | 'leaseName'> = {
	leaseName: (key) => key,
	async withLock(key, run, { signal = new AbortController().signal } = {}) {
		return {
			outcome: 'ran',
			value: await run({ key, lease: key, holder: key, fencingToken: BigInt(FENCING_TOKEN), signal, assertHeld() {} }),
		};
	},
	waitForRelease: async () => {},
};

export class ProcessTrees {
	readonly #roots = new Map<string, Promise<ProcessNode>>();
	readonly #mutation: Mutation;
	#nodes = 0;

	constructor(mutation: Mutation = {}) {
		this.#mutation = mutation;
	}

	/** Runs of the real code. */
	get size(): number {
		return this.#nodes;
	}

	/** `life`: which start of this pod it is; its slots and its lock are its own. */
	start(pod: string, life: number, view: View, alert?: AlertOccurrence): Promise<ProcessNode> {
		const key = `${pod}.${life}${JSON.stringify([view.links, view.versions, alert])}`;
		const known = this.#roots.get(key);
		if (known !== undefined) return known;
		const root = this.#node(pod, life, [{ view }], alert);
		this.#roots.set(key, root);
		return root;
	}

	async #node(
		pod: string,
		life: number,
		inputs: readonly Input[],
		alert: AlertOccurrence | undefined,
	): Promise<ProcessNode> {
		const step = await replay(pod, life, inputs, this.#mutation, alert);
		const began = inputs.findLastIndex((input) => 'signal' in input);
		const answers = inputs.slice(began + 1).flatMap((input) => ('answer' in input ? [input.answer] : []));
		const view = inputs.findLast((input) => 'view' in input)?.view ?? { links: [], versions: {} };
		const last = answers.at(-1);
		const children = new Map<string, ProcessNode | Promise<ProcessNode>>();
		const after = (input: Input) => {
			const key = JSON.stringify(input);
			const known = children.get(key);
			if (known !== undefined) return known;
			const next = this.#node(pod, life, [...inputs, input], alert).then((node) => {
				children.set(key, node);
				return node;
			});
			children.set(key, next);
			return next;
		};
		return {
			id: this.#nodes++,
			step,
			lastLink: last !== undefined && 'link' in last ? last.link : undefined,
			timedOut: answers.some((answer) => 'fault' in answer && answer.fault === 'KUBE_TIMEOUT'),
			view,
			answered: (answer) => after({ answer }),
			caughtUp: ({ links, versions }) => after({ view: { links, versions } }),
			signalled: () => after({ signal: true }),
		};
	}
}

async function replay(
	pod: string,
	life: number,
	inputs: readonly Input[],
	mutation: Mutation,
	alert: AlertOccurrence = ALERT,
): Promise<Step> {
	let stop = (_step: Step) => {};
	const stopped = new Promise<Step>((resolve) => (stop = resolve));
	const own = new OwnToken(pod, life);
	const cache = new RequestCache();
	const rest = inputs.values();

	/** Nothing looks into the cache while a request is under way, so it may as well learn when the request is sent. */
	function nextAnswer(): Answer | undefined {
		for (const input of rest) {
			if ('answer' in input) return input.answer;
			if ('signal' in input) throw new Error('a signal comes after the result of the one before');
			follow(cache, input.view, mutation);
		}
		return undefined;
	}
	function call<T>(kubeCall: KubeCall): Promise<T> {
		const asked = own.inRequest(toModelRequest(kubeCall));
		const sent = mutation.request?.(asked, pod) ?? asked;
		if (!('verb' in sent)) return Promise.resolve(received(sent) as T);
		const answer = nextAnswer();
		if (answer === undefined) {
			stop({ request: sent });
			return new Promise(() => {});
		}
		return Promise.resolve().then(() => received(mutation.answer?.(answer, sent, pod) ?? answer) as T);
	}
	const received = (answer: Answer) => objectOf(own.inAnswer(answer), FINGERPRINT);

	const first = rest.next().value;
	if (first === undefined || !('view' in first)) throw new Error('a process begins with its view');
	follow(cache, first.view, mutation);
	const store = createRequestStore({ call }, 'simulation');
	let slots = 0;
	const { ingest, resolve } = createSignalIngest({
		lock: NO_LOCK,
		store,
		cache,
		committer: new OccurrenceCommitter({
			store,
			known: {
				newerThan: (link) => cache.newerThan(link),
				changed: (link) => cache.changed(link),
				counted: (link) => cache.changed(link),
			},
			now: () => new Date(0),
			gather: async () => {},
			pace: () => async () => {},
			newSlot: () => `${pod}.${life}.${++slots}`,
			idleSlots: new IdleSlots(() => 0),
		}),
		places: createWorkPlaces({ now: () => 0, observer: { places() {} } }),
		lookUp: NAMED_TARGETS,
		isListed: () => true,
		backoff: createBackoff(BACKOFF_PRESETS.standard),
		namespace: 'simulation',
		observer: { retrying() {}, retrySucceeded() {}, retryTimedOut() {} },
	});
	for (;;) {
		const signal = { ...SIGNAL, alert, firingTime: alert.startsAt };
		const options = { abort: new AbortController().signal };
		const handling = alert.endsAt === undefined ? ingest(signal, options) : resolve(signal, options);
		const finished = handling.then((result) => ({ result }));
		const step = await Promise.race([stopped, finished]);
		if ('request' in step) return step;
		const next = rest.next().value;
		if (next === undefined) return step;
		if (!('signal' in next)) throw new Error('after its result a process gets another signal, or nothing');
	}
}

function follow(cache: RequestCache, { links, versions }: View, { view = (all) => all }: Mutation): void {
	const shown = view(links).map((link) => toLink(toObject(link, FINGERPRINT)));
	for (const [name, version] of Object.entries(versions)) {
		const gone = sampleLink({ name, uid: '', resourceVersion: String(version) });
		if (!shown.some((link) => link.name === name)) cache.removed(gone);
	}
	for (const link of shown) cache.changed(link);
}

/** The lock's token is always the same: in the model it is named after its owner. */
class OwnToken {
	readonly #token: string;

	constructor(pod: string, life: number) {
		this.#token = `${pod}.${life}.lock`;
	}

	inRequest(request: Request): Request {
		return request.verb === 'create' ? { ...request, token: this.#token } : request;
	}

	inAnswer(answer: Answer): Answer {
		if ('link' in answer) return { link: this.#inLink(answer.link) };
		return 'links' in answer ? { links: answer.links.map((link) => this.#inLink(link)) } : answer;
	}

	#inLink(link: StoredLink): StoredLink {
		return link.token === this.#token ? { ...link, token: FENCING_TOKEN } : link;
	}
}
