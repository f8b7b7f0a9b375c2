// Everything that happened to the WorkflowExecutions of a namespace, in the order in which it was stored. Exclusion is
// judged from this, not from a final count: two that had a target one after the other look the same in the end.
import type { KubeObject } from '@kubernaut/control-plane';
import { atTheEnd } from '@kubernaut/testkit';
import { expect, inject } from 'vitest';
import { createKubeClient, loadKubeConfig } from '../../src/kube.ts';

export type Change = {
	readonly name: string;
	readonly target: string;
	readonly requestUid: string;
	/** It has its target: neither ended nor deleted. */
	readonly active: boolean;
	readonly version: string;
};

const CATCH_UP_MS = 60_000;

export class ExecutionHistory {
	readonly changes: Change[] = [];
	readonly #list: () => Promise<readonly KubeObject[]>;

	constructor(list: () => Promise<readonly KubeObject[]>) {
		this.#list = list;
	}

	/** Pairs that had a target together. */
	overlaps(): string[] {
		const found: string[] = [];
		const holders = new Map<string, string>();
		for (const { name, target, active } of this.changes) {
			const holder = holders.get(target);
			if (active && holder !== undefined && holder !== name) found.push(`${name} had ${target} while ${holder} did`);
			if (active) holders.set(target, name);
			else if (holder === name) holders.delete(target);
		}
		return found;
	}

	/** Names of all that were ever made for this request. */
	madeFor(requestUid: string): string[] {
		return [...new Set(this.changes.filter((change) => change.requestUid === requestUid).map(({ name }) => name))];
	}

	/** With all that is stored by now. A watch may be behind what a list tells already: on a busy machine, by seconds. */
	async caughtUp(): Promise<this> {
		const stored = await this.#list();
		const missing = () => {
			const recorded = new Set(this.changes.map(({ version }) => version));
			return stored.filter(({ metadata }) => !recorded.has(metadata.resourceVersion)).length;
		};
		await expect.poll(missing, { timeout: CATCH_UP_MS, message: 'not recorded yet' }).toBe(0);
		return this;
	}
}

/** Recorded from now on, until the test file ends. */
export async function recordExecutions(namespace: string): Promise<ExecutionHistory> {
	const kube = createKubeClient(loadKubeConfig(inject('controlPlane').kubeconfigPath), 10_000, { called() {} });
	const path = `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/workflowexecutions`;
	const about = { resource: 'workflowexecutions', namespace } as const;
	const list = () => kube.call<KubeObject>({ ...about, verb: 'list', path });
	const before = await list();
	const known = new Set((before['items'] as KubeObject[]).map(({ metadata }) => metadata.resourceVersion as string));
	const history = new ExecutionHistory(async () =>
		((await list())['items'] as KubeObject[]).filter(({ metadata }) => !known.has(metadata.resourceVersion)),
	);
	const stopping = new AbortController();
	const lines = kube.lines(
		{ ...about, verb: 'watch', path: `${path}?watch=1&resourceVersion=${before['metadata'].resourceVersion}` },
		stopping.signal,
		600_000,
	);
	const recording = (async () => {
		for await (const line of lines) {
			const { type, object } = JSON.parse(line) as { type: string; object: KubeObject };
			if (type === 'BOOKMARK') continue;
			if (type === 'ERROR') throw new Error(`the history has a gap: ${line}`);
			history.changes.push({
				name: object['metadata'].name,
				target: object['spec'].targetResource,
				requestUid: object['spec'].remediationRequestRef.uid,
				version: object['metadata'].resourceVersion,
				active: type !== 'DELETED' && !['Completed', 'Failed', 'Skipped'].includes(object['status']?.phase),
			});
		}
		throw new Error('the history has ended before the test');
	})().catch((error: unknown) => {
		if (!stopping.signal.aborted) throw error;
	});
	atTheEnd(async () => {
		stopping.abort();
		await recording;
		await kube.close();
	});
	return history;
}
