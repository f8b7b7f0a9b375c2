// A crowd: 1,000 requests on one target, 100 workflows with expressions. The longest time for which the event loop of a
// replica did nothing but decide, from its own metrics.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeApi } from '@kubernaut/control-plane';
import { applyObject } from '@kubernaut/testkit/apply';
import { inParallel } from '../gateway/signal-load.ts';
import type { Result } from '../result.ts';
import { alertAbout, fingerprintOf, firstRequestName, requestFor, requestsPath } from '../signal-request.ts';
import { type Orchestra, openOrchestra } from './orchestra.ts';

const REQUESTS = 1000;
const WORKFLOWS = 100;
const ALERTS = 200;
const POLL_MS = 500;
const PATIENCE_MS = 240_000;

type CrowdStage = { readonly api: KubeApi; readonly adminKubeconfig: string };

export async function measureCrowd(stage: CrowdStage, report: (text: string) => void): Promise<Result[]> {
	const { api } = stage;
	const crowd = await openOrchestra(api, 'crowd', stage.adminKubeconfig);
	for (let n = 0; n < WORKFLOWS; n++) await putWorkflow(api, crowd.namespace, n, 'a');
	await crowd.start(1);
	try {
		await crowd.longestPauseMs(); // what was before
		const coming = await longestPauseUntil(crowd, async () => {
			let next = 0;
			await inParallel(REQUESTS, 20, () => createRequest(api, crowd.namespace, next++));
			await untilAll(api, crowd.namespace, ({ overallPhase }) => overallPhase !== undefined);
		});
		const edited = await longestPauseUntil(crowd, async () => {
			await putWorkflow(api, crowd.namespace, 0, 'b');
			await delay(5000);
		});
		report(
			`${REQUESTS} requests on one target, ${WORKFLOWS} workflows: longest pause ${coming.toFixed(0)} ms while they come, ${edited.toFixed(0)} ms after an edit of a workflow`,
		);
		const value = Math.max(coming, edited);
		return [{ name: 'crowd.longestPauseMs', value, unit: 'ms', target: { atMost: 200 } }];
	} finally {
		await crowd.stop();
	}
}

/** A replica's metrics say the longest pause since they were last read. */
async function longestPauseUntil(crowd: Orchestra, work: () => Promise<void>): Promise<number> {
	let longest = 0;
	const done = new AbortController();
	const reading = (async () => {
		while (!done.signal.aborted) {
			await delay(POLL_MS);
			longest = Math.max(longest, await crowd.longestPauseMs());
		}
	})();
	await work().finally(() => done.abort());
	await reading;
	return longest;
}

function putWorkflow(api: KubeApi, namespace: string, n: number, edition: string) {
	return applyObject(api, {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationWorkflow',
		metadata: { name: `crowd-${n}`, namespace },
		spec: {
			match: { signalNames: [`^Crowd${n}-[a-z0-9]{1,20}(Slow|Full|Down)?$`, `^Edition-${edition}-.*$`] },
			pipelineRef: { name: 'restart' },
			parameters: { TARGET: '{{ target }}', NAME: '{{ signal.name }}' },
		},
	});
}

/** Requests for runs of all workflows, and many duplicates of each. */
async function createRequest(api: KubeApi, namespace: string, n: number): Promise<void> {
	const alert = alertAbout('crowd', `Crowd${n % WORKFLOWS}-${n % ALERTS}`);
	const fingerprint = fingerprintOf(alertAbout('crowd', `of ${n}`));
	const body = requestFor(alert, firstRequestName(fingerprint));
	await api.call('POST', requestsPath(namespace), {
		body: { ...body, spec: { ...body.spec, signalFingerprint: fingerprint } },
	});
}

async function untilAll(
	api: KubeApi,
	namespace: string,
	holds: (status: { readonly overallPhase?: string }) => boolean,
): Promise<void> {
	const givenUpAt = performance.now() + PATIENCE_MS;
	for (;;) {
		const { items } = await api.call('GET', requestsPath(namespace));
		const rest = (items as { status: { overallPhase?: string } }[]).filter(({ status }) => !holds(status));
		if (rest.length === 0) return;
		if (performance.now() > givenUpAt) throw new Error(`${rest.length} requests of the crowd were not decided`);
		await delay(1000);
	}
}
