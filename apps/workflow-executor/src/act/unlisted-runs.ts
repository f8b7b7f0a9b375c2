// Before the runs were listed once nothing is decided: a run that was not seen may have the target. Meanwhile every execution that
// waits says why, so that a missing right, or Tekton that is not installed, is seen where people look first.
import { refusalOf } from '../decide/create-refusal.ts';
import { KubeError } from '../kube/kube.ts';
import { type Execution, isWaiting } from '../objects/execution.ts';
import type { Clock } from '../process/clock.ts';
import type { ExecutionWriter } from './execution-writer.ts';

export type UnlistedRunsParts = {
	/** Fails as the list of the runs does. */
	readonly tryList: () => Promise<unknown>;
	readonly executions: () => Iterable<Execution>;
	readonly writer: Pick<ExecutionWriter, 'wait'>;
	readonly clock: Pick<Clock, 'setTimer'>;
};

/** A list that is only slow needs no words. */
const CHECK_MS = 3000;

/** Answers what ends it. */
export function explainUnlistedRuns({ tryList, executions, writer, clock }: UnlistedRunsParts): () => void {
	let isOver = false;
	let cancel = () => {};

	async function explain(): Promise<void> {
		try {
			const fault = await tryList().then(
				() => undefined,
				(error: unknown) => error,
			);
			if (fault instanceof KubeError) await write(fault);
		} catch {
			// Nothing depends on the words, and the next check tries again.
		}
	}
	async function write(error: KubeError): Promise<void> {
		const refusal = refusalOf(error);
		if (refusal.do !== 'wait') return;
		for (const execution of executions()) {
			if (isOver) return;
			if (!isWaiting(execution) || execution.deleting) continue;
			await writer.wait(execution, refusal.reason, error.message);
		}
	}
	function later(): void {
		cancel = clock.setTimer(() => void explain().then(() => isOver || later()), CHECK_MS);
	}
	later();
	return () => {
		isOver = true;
		cancel();
	};
}
