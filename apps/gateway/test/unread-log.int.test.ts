// A gateway whose log is not read: it serves on, with the limits of a new installation, and keeps its locks.
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { adminApi, atTheEnd, createNamespace, openUnreadPipe, startApp } from '@kubernaut/testkit';
import { expect, it } from 'vitest';
import { LOCK_PREFIX } from '../src/distributed-lock.ts';
import type { LeaseObject } from '../src/kube/leases.ts';
import { metric, startGateways, statuses } from './harness/gateways.ts';

const SIGNALS = 2000;
const SENDERS = 20;
const INCIDENTS = 40;
const HEALTHY_WITHIN_MS = 1000;
const GIVEN_UP_AFTER_MS = 15_000;

it(`answers ${SIGNALS} signals and /healthz while its log is not read`, async () => {
	const api = adminApi();
	const namespace = await createNamespace(api, 'unread');
	const gateways = await startGateways(api, namespace, { count: 0 });
	const pipe = await openUnreadPipe();
	atTheEnd(() => pipe.close());
	const running = await startApp('gateway', {
		kubeconfig: gateways.kubeconfig,
		namespace,
		podName: 'gateway-0',
		stdout: pipe.writeEnd,
	});
	atTheEnd(async () => {
		running.signal('SIGKILL');
		await running.exited;
	});
	await running.waitUntilReady();

	const health: number[] = [];
	const sent = new AbortController();
	const asking = (async () => {
		while (!sent.signal.aborted) {
			const startedAt = performance.now();
			const answer = await fetch(`${running.healthUrl}/healthz`, {
				signal: AbortSignal.timeout(GIVEN_UP_AFTER_MS),
			}).catch(() => {});
			health.push(answer?.status === 200 ? performance.now() - startedAt : Infinity);
			await delay(50);
		}
	})();
	const answers: Awaited<ReturnType<typeof gateways.trySend>>[] = [];
	let signals = 0;
	await Promise.all(
		Array.from({ length: SENDERS }, async () => {
			while (signals < SIGNALS) {
				const incident = signals++ % INCIDENTS;
				const abort = AbortSignal.timeout(GIVEN_UP_AFTER_MS);
				const answer = await gateways.trySend(running, `cart-${incident}`, { abort });
				answers.push(answer);
				if (answer.status === 'lost') return; // it serves no more
			}
		}),
	);
	sent.abort();
	await asking;
	console.log(`${JSON.stringify(statuses(answers))}; slowest /healthz ${Math.round(Math.max(...health))} ms`);
	expect(statuses(answers)).toEqual({ 201: INCIDENTS, 202: SIGNALS - INCIDENTS });
	expect(Math.max(...health)).toBeLessThan(HEALTHY_WITHIN_MS);
	expect(await metric(running, 'gateway_log_lines_dropped_total')).toBeGreaterThanOrEqual(0);
	// Its reader is back: what was kept arrives.
	const log = await pipe.read((text) => text.split('"msg":"answered"').length > SIGNALS / 2, 10_000);
	expect(log.split('"msg":"answered"').length).toBeGreaterThan(SIGNALS / 2);
});

const from = (file: string) => JSON.stringify(new URL(`../src/${file}`, import.meta.url).href);
/** Holds a lock for ever, and logs as much as a storm does. */
const HOLDER = `
	import { createKubeClient, loadKubeConfig } from ${from('kube/kube.ts')};
	import { lockLog, startDistributedLock } from ${from('distributed-lock.ts')};
	import { SYSTEM_CLOCK } from ${from('process/clock.ts')};
	import { createLogger } from ${from('process/logger.ts')};
	const { KUBECONFIG, NAMESPACE } = process.env;
	const log = createLogger('info', 'holder');
	const requestTimeoutMs = 800;
	const { lock } = startDistributedLock({
		kube: createKubeClient(loadKubeConfig(KUBECONFIG), requestTimeoutMs, { called() {} }),
		clock: SYSTEM_CLOCK,
		podName: 'holder',
		namespace: NAMESPACE,
		leaseDurationMs: 4000,
		requestTimeoutMs,
		observer: { ...lockLog(log), attempted() {}, waiting() {} },
		backoff: { calculate: () => 100 },
		onSync() {},
	});
	await lock.withLock('unread', async () => {
		for (;;) {
			for (let i = 0; i < 500; i++) log.info({ i, text: 'x'.repeat(200) }, 'line');
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
	});`;

it('renews its lock while its log is not read', async () => {
	const api = adminApi();
	const namespace = await createNamespace(api, 'unread');
	const { kubeconfig } = await startGateways(api, namespace, { count: 0 });
	const pipe = await openUnreadPipe();
	atTheEnd(() => pipe.close());
	pipe.fill();
	const holder = spawn(process.execPath, ['--input-type=module', '--eval', HOLDER], {
		stdio: ['ignore', pipe.writeEnd, 'inherit'],
		env: { ...process.env, KUBECONFIG: kubeconfig, NAMESPACE: namespace },
	});
	atTheEnd(() => holder.kill('SIGKILL'));
	const lease = async () => {
		const { items } = await api.call('GET', `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`);
		return (items as LeaseObject[]).find(({ metadata }) => metadata.name?.startsWith(LOCK_PREFIX))?.spec;
	};
	const heldForMs = async () => {
		const { acquireTime = '', renewTime = '' } = (await lease()) ?? {};
		return Date.parse(renewTime) - Date.parse(acquireTime);
	};
	await expect.poll(heldForMs).toBeGreaterThan(6000);
	expect((await lease())?.leaseTransitions ?? 0).toBe(0);
	expect(holder.exitCode).toBeNull();
});
