// Replicas come and go all the time: an update, a drained node. An app with three of them is never without two.
import { setTimeout as delay } from 'node:timers/promises';
import { APPS, type AppProcess, adminApi, createNamespace, startApp } from '@kubernaut/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isReady, startReplicas } from '../harness/replicas.ts';
import { TIMEOUTS } from '../harness/timeouts.ts';

describe.each(APPS)('%s', (app) => {
	const api = adminApi();
	let namespace: string;
	let replicas: AppProcess[];
	let kubeconfig: string;

	beforeAll(async () => {
		namespace = await createNamespace(api, app);
		({ replicas, kubeconfig } = await startReplicas(api, app, namespace, 3));
	});
	afterAll(() => Promise.all(replicas.map((replica) => replica.stop())));

	it('has two of three replicas ready at every moment while they are replaced one by one', async () => {
		const seen: number[] = [];
		const replaced = new AbortController();
		const looking = (async () => {
			while (!replaced.signal.aborted) {
				seen.push((await Promise.all(replicas.map(isReady))).filter(Boolean).length);
				await delay(TIMEOUTS.lookMs);
			}
		})();
		for (const [place, old] of replicas.entries()) {
			expect(await old.stop()).toBe(0);
			const next = await startApp(app, { kubeconfig, namespace, podName: `${app}-new-${place}` });
			await next.waitUntilReady(TIMEOUTS.allReplicasReadyMs);
			replicas[place] = next;
		}
		replaced.abort();
		await looking;
		expect(Math.min(...seen)).toBe(2); // seen while one was away, and never fewer
	});
});
