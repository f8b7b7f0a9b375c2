// What a run is: a workflow as it was at one generation, on a target, with these parameters. Requests that ask for equal
// runs are duplicates of each other, and a success of one run is a success of every equal one; of no other.
import { createHash } from 'node:crypto';

export type Run = {
	readonly workflowUid: string;
	readonly generation: number;
	readonly target: string;
	readonly parameters: Readonly<Record<string, string>>;
};

/** Equal for equal runs, whatever the order of the parameters. */
export function runIdentity({ workflowUid, generation, target, parameters }: Run): string {
	const inOrder = Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1));
	return createHash('sha256')
		.update(JSON.stringify([workflowUid, generation, target, inOrder]))
		.digest('hex');
}
