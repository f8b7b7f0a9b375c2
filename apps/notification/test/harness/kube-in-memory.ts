// The calls of this app to an API server, answered from memory: versions, refusals and watches, for unit tests of the whole
// service. `describeKubeCalls` (kube-calls.ts) is sat by this and by a real API server.
import { type KubeCall, type KubeClient, KubeError } from '../../src/kube/kube.ts';

type Stored = {
	metadata: { name: string; uid: string; resourceVersion: string; labels?: Record<string, string> };
	[field: string]: unknown;
};
type Body = { metadata?: Partial<Stored['metadata']>; status?: unknown; preconditions?: Partial<Stored['metadata']> };
type Watcher = { readonly prefix: string; readonly labels: string | undefined; push(line: string): void };

export class KubeInMemory implements KubeClient {
	readonly server = 'https://in-memory';
	readonly calls: KubeCall[] = [];
	readonly #objects = new Map<string, Stored>();
	readonly #watchers = new Set<Watcher>();
	#version = 0;
	/** Called before each call; may throw. */
	before: (call: KubeCall) => void = () => {};

	async call<T>(call: KubeCall): Promise<T> {
		this.calls.push(call);
		this.before(call);
		await new Promise((resolve) => setImmediate(resolve));
		return structuredClone(this.#answer(call)) as T;
	}

	async *lines(call: KubeCall, signal: AbortSignal): AsyncGenerator<string> {
		this.calls.push(call);
		const { pathname, searchParams } = new URL(call.path, this.server);
		const labels = searchParams.get('labelSelector') ?? undefined;
		const lines: string[] = [];
		let wake = () => {};
		const watcher: Watcher = {
			prefix: `${pathname}/`,
			labels,
			push(line) {
				lines.push(line);
				wake();
			},
		};
		for (const object of this.#listed(watcher)) lines.push(JSON.stringify({ type: 'ADDED', object }));
		const end = { resourceVersion: String(this.#version), annotations: { 'k8s.io/initial-events-end': 'true' } };
		lines.push(JSON.stringify({ type: 'BOOKMARK', object: { metadata: end } }));
		this.#watchers.add(watcher);
		try {
			while (!signal.aborted) {
				const line = lines.shift();
				if (line !== undefined) yield line;
				else
					await new Promise<void>((resolve) => {
						wake = resolve;
						signal.addEventListener('abort', () => resolve(), { once: true });
					});
			}
		} finally {
			this.#watchers.delete(watcher);
		}
	}

	async close(): Promise<void> {}

	#answer({ verb, path, body = {}, resource }: KubeCall): unknown {
		const { pathname, searchParams } = new URL(path, this.server);
		const at = pathname.replace(/\/status$/, '');
		const content = body as Body;
		switch (verb) {
			case 'create': {
				const name = content.metadata?.name ?? '';
				if (this.#objects.has(`${at}/${name}`)) throw new KubeError('KUBE_ALREADY_EXISTS', `${name} exists`);
				return this.#store(`${at}/${name}`, content, { name, uid: `uid-${this.#version + 1}` });
			}
			case 'get':
				return this.#found(at);
			case 'list': {
				const labels = searchParams.get('labelSelector') ?? undefined;
				return {
					items: this.#listed({ prefix: `${at}/`, labels }),
					metadata: { resourceVersion: String(this.#version) },
				};
			}
			case 'update':
				// An API server finds that the uid does not fit before it finds that the object is gone.
				if (!this.#objects.has(at)) throw new KubeError('KUBE_CONFLICT', `${at} has another uid`);
				return this.#store(at, content, this.#matching(at, content.metadata).metadata);
			case 'patch': {
				const found = this.#matching(at, content.metadata);
				const isStatus = resource.endsWith('/status');
				if (!isStatus) throw new KubeError('KUBE_INVALID', 'this app patches nothing but a status');
				const status = merged(found['status'], content.status) as { conditions?: { type: string }[] };
				const types = status.conditions?.map(({ type }) => type) ?? [];
				if (new Set(types).size < types.length) throw new KubeError('KUBE_INVALID', 'a type of condition stands twice');
				return this.#store(at, { ...found, status }, found.metadata);
			}
			case 'delete': {
				const gone = this.#matching(at, content.preconditions);
				this.#objects.delete(at);
				this.#tell('DELETED', at, { ...gone, metadata: { ...gone.metadata, resourceVersion: this.#next() } });
				return {};
			}
			case 'watch':
				throw new Error('a watch is read in lines');
		}
	}

	#found(at: string): Stored {
		const found = this.#objects.get(at);
		if (found === undefined) throw new KubeError('KUBE_NOT_FOUND', `${at} not found`);
		return found;
	}
	#matching(at: string, wanted: Partial<Stored['metadata']> = {}): Stored {
		const found = this.#found(at);
		const { uid = found.metadata.uid, resourceVersion = found.metadata.resourceVersion } = wanted;
		if (uid !== found.metadata.uid || resourceVersion !== found.metadata.resourceVersion)
			throw new KubeError('KUBE_CONFLICT', `${at} changed`);
		return found;
	}
	#store(at: string, content: Body, { name, uid }: { name: string; uid: string }): Stored {
		const isNew = !this.#objects.has(at);
		const metadata = { ...content.metadata, name, uid, resourceVersion: this.#next() };
		const object: Stored = { ...content, metadata };
		this.#objects.set(at, object);
		this.#tell(isNew ? 'ADDED' : 'MODIFIED', at, object);
		return object;
	}
	#next(): string {
		return String(++this.#version);
	}
	#listed({ prefix, labels }: Pick<Watcher, 'prefix' | 'labels'>): Stored[] {
		return [...this.#objects]
			.filter(([at, object]) => at.startsWith(prefix) && isSelected(object, labels))
			.map(([, object]) => object);
	}
	#tell(type: string, at: string, object: Stored): void {
		for (const { prefix, labels, push } of this.#watchers)
			if (at.startsWith(prefix) && isSelected(object, labels)) push(JSON.stringify({ type, object }));
	}
}

function isSelected({ metadata }: Stored, labels: string | undefined): boolean {
	if (labels === undefined) return true;
	return labels.split(',').every((one) => {
		const [name = '', value] = one.split('=');
		return metadata.labels?.[name] === value;
	});
}

/** RFC 7386. */
function merged(target: unknown, patch: unknown): unknown {
	if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
	const result: Record<string, unknown> = { ...(typeof target === 'object' ? target : {}) };
	for (const [key, value] of Object.entries(patch))
		if (value === null) delete result[key];
		else result[key] = merged(result[key], value);
	return result;
}
