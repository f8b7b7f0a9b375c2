// Senders that behave as Alertmanager does: a signal that was not stored is sent again, to the next replica. Everything
// that they saw is recorded, and judged against the objects on the API server.
import { setTimeout as delay } from 'node:timers/promises';
import type { AppProcess } from '@kubernaut/testkit';
import { expect } from 'vitest';
import type { RemediationRequest } from '../../src/generated/remediation-request.ts';
import { type Answer, type Gateways, type Lost, occurrences } from './gateways.ts';

export type Sent = { readonly deployment: string; readonly to: AppProcess; readonly answer: Answer | Lost };
export type Load = {
	/** Every exchange, in the order of the answers. */
	readonly history: readonly Sent[];
	/** No new signals; ends when the last ones are stored. */
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
		return isStored(answer);
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

export function isStored(answer: Answer | Lost): answer is Answer {
	return answer.status === 201 || answer.status === 202;
}

/** Every signal that was answered as stored is counted, on one request, and none is counted that was never sent. */
export function expectStored(history: readonly Sent[], requests: readonly RemediationRequest[]): void {
	for (const deployment of new Set(history.map((sent) => sent.deployment))) {
		const sent = history.filter((each) => each.deployment === deployment);
		const confirmed = sent.map(({ answer }) => answer).filter(isStored);
		const stored = requests.filter(({ spec }) => spec.targetResource.name === deployment);
		expect(stored.map(({ metadata }) => metadata.name)).toEqual([confirmed[0]?.body.remediationRequestName]);
		expect(new Set(confirmed.map(({ body }) => body.remediationRequestName)).size).toBe(1);
		const [count] = occurrences(stored);
		expect(count).toBeGreaterThanOrEqual(confirmed.length);
		expect(count).toBeLessThanOrEqual(sent.length);
	}
}
