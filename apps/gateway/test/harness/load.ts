// Senders that behave as Alertmanager does: a signal that was not taken is sent again, to the next replica. Everything
// that they saw is kept, and judged against what is on the API server.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@kubernaut/control-plane';
import type { AppProcess } from '@kubernaut/testkit';
import { expect } from 'vitest';
import type { Answer, Gateways, Lost } from './gateways.ts';

export type Sent = { readonly deployment: string; readonly to: AppProcess; readonly answer: Answer | Lost };
export type Load = {
	/** Every exchange, in the order of the answers. */
	readonly history: readonly Sent[];
	/** No new signals; ends when the last ones are taken. */
	stop(): Promise<void>;
};
export type LoadOptions = { readonly senders: number; readonly deploymentOf: (n: number) => string };

const RETRY_MS = 100;

export function startLoad(gateways: Gateways, { senders, deploymentOf }: LoadOptions): Load {
	const history: Sent[] = [];
	const stopping = new AbortController();
	let signals = 0;
	let turn = 0;

	async function send(): Promise<void> {
		while (!stopping.signal.aborted) {
			const deployment = deploymentOf(signals++);
			while (!(await tryOnce(deployment))) await delay(RETRY_MS);
		}
	}
	async function tryOnce(deployment: string): Promise<boolean> {
		const to = gateways.processes[turn++ % gateways.processes.length]!;
		const answer = await gateways.trySend(to, deployment);
		history.push({ deployment, to, answer });
		return isTaken(answer);
	}
	const running = Array.from({ length: senders }, send);
	return {
		history,
		async stop() {
			stopping.abort();
			await Promise.all(running);
		},
	};
}

export function isTaken(answer: Answer | Lost): answer is Answer {
	return answer.status === 201 || answer.status === 202;
}

/** No signal that was taken is missing, none made a second request, and nobody counted what was never sent. */
export function expectKept(history: readonly Sent[], requests: readonly KubeObject[]): void {
	for (const deployment of new Set(history.map((sent) => sent.deployment))) {
		const sent = history.filter((each) => each.deployment === deployment);
		const taken = sent.map(({ answer }) => answer).filter(isTaken);
		const stored = requests.filter(({ spec }) => spec.targetResource.name === deployment);
		expect(stored.map(({ metadata }) => metadata.name as string)).toEqual([taken[0]?.body.remediationRequestName]);
		expect(new Set(taken.map(({ body }) => body.remediationRequestName)).size).toBe(1);
		const count = stored[0]!['status'].deduplication.occurrenceCount as number;
		expect(count).toBeGreaterThanOrEqual(taken.length);
		expect(count).toBeLessThanOrEqual(sent.length);
	}
}
