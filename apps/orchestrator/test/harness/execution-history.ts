// Everything that happened to the WorkflowExecutions of a namespace, in the order in which it was stored. Exclusion is
// judged from this, not from a final count: two that had a target one after the other look the same in the end.
import { atTheEnd } from '@kubernaut/testkit';
import { inject } from 'vitest';
import { RecordedWatch, type WatchedChange } from './recorded-watch.ts';

export type Change = {
	readonly name: string;
	readonly target: string;
	readonly requestUid: string;
	/** It has its target: neither ended nor deleted. */
	readonly active: boolean;
};

export class ExecutionHistory {
	readonly changes: readonly Change[];
	readonly #watch: Pick<RecordedWatch, 'caughtUp'>;

	constructor(changes: readonly Change[], watch: Pick<RecordedWatch, 'caughtUp'>) {
		this.changes = changes;
		this.#watch = watch;
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

	/** With all that is stored by now. */
	async caughtUp(): Promise<this> {
		await this.#watch.caughtUp();
		return this;
	}
}

/** Recorded from now on, until the test file ends. */
export async function recordExecutions(namespace: string): Promise<ExecutionHistory> {
	const changes: Change[] = [];
	const { kubeconfigPath } = inject('controlPlane');
	const watch = await RecordedWatch.start(namespace, 'workflowexecutions', kubeconfigPath, (change) =>
		changes.push(toChange(change)),
	);
	atTheEnd(() => watch.stop());
	return new ExecutionHistory(changes, watch);
}

function toChange({ type, object }: WatchedChange): Change {
	return {
		name: object['metadata'].name,
		target: object['spec'].targetResource,
		requestUid: object['spec'].remediationRequestRef.uid,
		active: type !== 'DELETED' && !['Completed', 'Failed', 'Skipped'].includes(object['status']?.phase),
	};
}
