// Every change of some kinds, recorded by a watch that goes on where it was when the API server comes back. A scenario
// judges this, not a look at one moment.
import { request as ask, type RequestOptions } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@kubernaut/control-plane';
import { KubeConfig } from '@kubernetes/client-node';

export type Change = {
	readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
	readonly object: KubeObject;
	/** When this process saw it. */
	readonly at: number;
};
export type History = {
	readonly changes: readonly Change[];
	onChange(listener: (change: Change) => void): void;
	stop(): void;
};

const AGAIN_MS = 200;

/** From now on. */
export async function recordHistory(kubeconfigPath: string, path: string): Promise<History> {
	const config = new KubeConfig();
	config.loadFromFile(kubeconfigPath);
	const options: RequestOptions = {};
	await config.applyToHTTPSOptions(options);
	const server = config.getCurrentCluster()?.server ?? '';
	const changes: Change[] = [];
	const listeners: ((change: Change) => void)[] = [];
	const stopping = new AbortController();
	const read = (query: string, onLine: (line: string) => void) =>
		new Promise<void>((resolve, reject) => {
			const call = ask(new URL(`${path}?${query}`, server), { ...options, signal: stopping.signal }, (answer) => {
				if (answer.statusCode !== 200) {
					answer.resume();
					reject(new Error(`${path}: ${answer.statusCode}`));
					return;
				}
				const lines = createInterface({ input: answer });
				lines.on('line', onLine);
				lines.once('close', resolve);
				for (const source of [answer, lines]) source.on('error', reject); // the reader of lines passes it on
			});
			call.on('error', reject);
			call.end();
		});
	let resourceVersion = '';
	let text = '';
	await read('limit=1', (line) => (text += line));
	resourceVersion = JSON.parse(text).metadata.resourceVersion as string;
	let fault: Error | undefined;
	const onLine = (line: string) => {
		const { type, object } = JSON.parse(line) as { type: string; object: KubeObject };
		if (type === 'ERROR') {
			fault = new Error(`the recorded history of ${path} has a gap: ${line}`);
			stopping.abort();
			return;
		}
		resourceVersion = object['metadata'].resourceVersion as string;
		if (type === 'BOOKMARK') return;
		const change: Change = { type: type as Change['type'], object, at: performance.now() };
		changes.push(change);
		for (const listener of listeners) listener(change);
	};
	void (async () => {
		while (!stopping.signal.aborted) {
			const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${resourceVersion}`;
			await read(query, onLine).catch(() => delay(AGAIN_MS)); // the API server is away, or ended the watch
		}
	})();
	return {
		get changes() {
			if (fault !== undefined) throw fault;
			return changes;
		},
		onChange: (listener) => void listeners.push(listener),
		stop: () => stopping.abort(),
	};
}

/** The most objects that were in one of these states at the same moment, by group. */
export function mostAtOnce(
	changes: readonly Change[],
	isActive: (object: KubeObject) => boolean,
	groupOf: (object: KubeObject) => string,
): Map<string, number> {
	const active = new Map<string, Set<string>>();
	const most = new Map<string, number>();
	for (const { type, object } of changes) {
		const group = groupOf(object);
		const members = active.get(group) ?? new Set<string>();
		active.set(group, members);
		if (type !== 'DELETED' && isActive(object)) members.add(object['metadata'].uid as string);
		else members.delete(object['metadata'].uid as string);
		most.set(group, Math.max(most.get(group) ?? 0, members.size));
	}
	return most;
}
