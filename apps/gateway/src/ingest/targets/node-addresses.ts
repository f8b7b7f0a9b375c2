// Which node has an address. The nodes are listed when a request asks, at most every 10 s, and only names and addresses are
// kept: a whole node takes some ten kilobytes. One list serves all that ask meanwhile.
import type { KubeClient } from '../../kube/kube.ts';

type Node = {
	readonly metadata: { readonly name: string };
	readonly status?: { readonly addresses?: readonly { readonly address: string }[] };
};
type NodePage = { readonly items: readonly Node[]; readonly metadata?: { readonly continue?: string } };
type Listed = { readonly at: number; readonly names: Promise<ReadonlyMap<string, string>> };

const MAX_AGE_MS = 10_000;
const PAGE_SIZE = 250;

export class NodeAddresses {
	readonly #kube: Pick<KubeClient, 'call'>;
	readonly #now: () => number;
	#listed: Listed | undefined;

	/** `now` is monotonic. */
	constructor(kube: Pick<KubeClient, 'call'>, now: () => number) {
		this.#kube = kube;
		this.#now = now;
	}

	/** The name of the node; undefined when none has this address or name. */
	async nodeAt(address: string): Promise<string | undefined> {
		return (await this.#names()).get(address.toLowerCase());
	}

	#names(): Promise<ReadonlyMap<string, string>> {
		if (this.#listed !== undefined && this.#now() - this.#listed.at < MAX_AGE_MS) return this.#listed.names;
		const listed = { at: this.#now(), names: this.#list() };
		// A fault is not kept: the next one asks again.
		listed.names.catch(() => {
			if (this.#listed === listed) this.#listed = undefined;
		});
		this.#listed = listed;
		return listed.names;
	}

	async #list(): Promise<ReadonlyMap<string, string>> {
		const names = new Map<string, string>();
		const addresses = new Map<string, string>();
		let token = '';
		do {
			const page = await this.#kube.call<NodePage>({
				verb: 'list',
				path: `/api/v1/nodes?limit=${PAGE_SIZE}${token}`,
				resource: 'nodes',
			});
			for (const { metadata, status } of page.items) {
				names.set(metadata.name.toLowerCase(), metadata.name);
				for (const { address } of status?.addresses ?? []) addresses.set(address.toLowerCase(), metadata.name);
			}
			token = page.metadata?.continue ? `&continue=${encodeURIComponent(page.metadata.continue)}` : '';
		} while (token !== '');
		return new Map([...addresses, ...names]); // a name wins over an address of another node
	}
}
