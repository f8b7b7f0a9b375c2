// Every change of the WorkflowExecutions of a namespace, in the order in which it was stored. Exclusion is judged from
// this, not from a final count: two that held a target one after the other look the same in the end.
import { atTheEnd } from '@kubernaut/testkit';
import { inject } from 'vitest';
import type { WorkflowExecution } from '../../src/generated/workflow-execution.ts';
import { isOver } from '../../src/objects/execution.ts';
import { RecordedWatch, type WatchedChange } from './recorded-watch.ts';

export type Change = {
	readonly name: string;
	readonly target: string;
	readonly requestUid: string;
	/** It holds its target: neither ended nor deleted. */
	readonly active: boolean;
};

export class ExecutionHistory {
	readonly changes: readonly Change[];
	readonly #watch: Pick<RecordedWatch<WorkflowExecution>, 'caughtUp'>;

	constructor(changes: readonly Change[], watch: Pick<RecordedWatch<WorkflowExecution>, 'caughtUp'>) {
		this.changes = changes;
		this.#watch = watch;
	}

	/** Pairs that held a target together. */
	overlaps(): string[] {
		const found: string[] = [];
		const holders = new Map<string, string>();
		for (const { name, target, active } of this.changes) {
			const holder = holders.get(target);
			if (active && holder !== undefined && holder !== name) found.push(`${name} held ${target} while ${holder} did`);
			if (active) holders.set(target, name);
			else if (holder === name) holders.delete(target);
		}
		return found;
	}

	/** Names of all executions that were ever made for this request. */
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
	const watch = await RecordedWatch.start<WorkflowExecution>(
		namespace,
		'workflowexecutions',
		kubeconfigPath,
		(change) => changes.push(toChange(change)),
	);
	atTheEnd(() => watch.stop());
	return new ExecutionHistory(changes, watch);
}

function toChange({ type, object: { metadata, spec, status } }: WatchedChange<WorkflowExecution>): Change {
	return {
		name: metadata.name,
		target: spec.targetResource,
		requestUid: spec.remediationRequestRef.uid,
		active: type !== 'DELETED' && !isOver(status ?? {}),
	};
}
