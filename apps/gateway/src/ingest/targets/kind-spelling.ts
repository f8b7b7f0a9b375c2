// How the API server spells a kind, and whether its objects have a namespace: `ROLLOUT` and `Rollout` are one target. Asked
// for kinds that are not built in, of the discovery document, which is kept for a minute; a kind that is not in it may be
// new, and is asked for again after 10 s.
import type { KubeClient } from '../../kube/kube.ts';
import { groupOf } from './cluster-objects.ts';

export type SpelledKind = { readonly kind: string; readonly isNamespaced: boolean };

type GroupDiscovery = {
	readonly metadata: { readonly name?: string };
	readonly versions?: readonly {
		readonly resources?: readonly {
			readonly scope: string;
			readonly responseKind?: { readonly kind?: string };
		}[];
	}[];
};
/** By the kind in lower case, of each group. */
type Kinds = ReadonlyMap<string, ReadonlyMap<string, SpelledKind>>;

const KEPT_MS = 60_000;
const UNKNOWN_KEPT_MS = 10_000;
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export class KindSpelling {
	readonly #kube: Pick<KubeClient, 'call'>;
	readonly #now: () => number;
	#known: { readonly at: number; readonly kinds: Promise<Kinds> } | undefined;

	/** `now` is monotonic. */
	constructor(kube: Pick<KubeClient, 'call'>, now: () => number) {
		this.#kube = kube;
		this.#now = now;
	}

	/** Undefined: the API server serves no such kind. Of several groups that do, that of the apiVersion, else the first. */
	async find(kind: string, apiVersion: string | undefined): Promise<SpelledKind | undefined> {
		const known = choose(await this.#kinds(KEPT_MS), kind, apiVersion);
		return known ?? choose(await this.#kinds(UNKNOWN_KEPT_MS), kind, apiVersion);
	}

	#kinds(keptMs: number): Promise<Kinds> {
		if (this.#known !== undefined && this.#now() - this.#known.at < keptMs) return this.#known.kinds;
		const known = { at: this.#now(), kinds: this.#read() };
		known.kinds.catch(() => {
			if (this.#known === known) this.#known = undefined;
		});
		this.#known = known;
		return known.kinds;
	}

	async #read(): Promise<Kinds> {
		// Without aggregated discovery, the answer is a list of groups alone.
		const { items = [] } = await this.#kube.call<{ items?: readonly GroupDiscovery[] }>({
			verb: 'get',
			path: '/apis',
			resource: 'discovery',
			accept: AGGREGATED,
		});
		const kinds = new Map<string, Map<string, SpelledKind>>();
		for (const { metadata, versions = [] } of items)
			for (const { scope, responseKind } of versions.flatMap(({ resources = [] }) => resources)) {
				const kind = responseKind?.kind ?? '';
				const groups = kinds.get(kind.toLowerCase()) ?? new Map<string, SpelledKind>();
				kinds.set(kind.toLowerCase(), groups);
				// The preferred version of a group stands first.
				const group = metadata.name ?? '';
				if (!groups.has(group)) groups.set(group, { kind, isNamespaced: scope === 'Namespaced' });
			}
		return kinds;
	}
}

function choose(kinds: Kinds, kind: string, apiVersion: string | undefined): SpelledKind | undefined {
	const groups = kinds.get(kind.toLowerCase());
	if (groups === undefined) return undefined;
	const [first] = groups.values();
	return apiVersion === undefined ? first : (groups.get(groupOf(apiVersion)) ?? first);
}
