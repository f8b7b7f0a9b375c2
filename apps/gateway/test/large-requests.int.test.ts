// Large stored requests, about 100 MB in all beside a heap of 192 MB: a gateway that starts, and one that lists again
// after the API server was away, live on the memory of about one object.
import { readFileSync } from 'node:fs';
import { type AppProcess, appKubeconfig, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Gateways, LONG, logged, readiness, startGateways } from './harness/gateways.ts';
import { type Outage, prepareOutage } from './harness/outage.ts';
import { storeRequests } from './harness/stored-requests.ts';

const REQUESTS = 520;
const BYTES = 188_000;
/** An idle gateway has about 110 MB; the requests alone are 98 MB, and more than twice that when parsed together. */
const MAX_RESIDENT_MB = 200;

let outage: Outage;
let namespace: string;
let gateways: Gateways;

beforeAll(async () => {
	outage = await prepareOutage();
	const { api, adminKubeconfig } = outage;
	namespace = await createNamespace(api, 'large');
	await storeRequests(api, namespace, REQUESTS, BYTES);
	const kubeconfig = await outage.exposed(await appKubeconfig(api, 'gateway', namespace, adminKubeconfig));
	gateways = await startGateways(api, namespace, {
		count: 0,
		env: { LOG_LEVEL: 'debug' },
		kubeconfig,
		adminKubeconfig,
	});
});

/** The most that was ever resident. */
function peakMegabytes({ pid }: AppProcess): number {
	const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
	return Math.round(Number(kilobytes) / 1024);
}

function lists(of: AppProcess): number {
	return logged(of, 'cache in sync').filter(
		({ what, reason }) => what === 'requests' && String(reason).startsWith('listed'),
	).length;
}

describe(`${REQUESTS} stored requests of ${BYTES} bytes`, () => {
	it('a gateway that starts is ready, and lists again after an outage, within its memory', async () => {
		const startedAt = performance.now();
		const gateway = await gateways.start('gateway-0');
		const seconds = (performance.now() - startedAt) / 1000;
		await expect.poll(() => lists(gateway), LONG).toBe(1); // the log is written in batches
		console.log(`ready after ${seconds.toFixed(1)} s, at most ${peakMegabytes(gateway)} MB`);

		await outage.stop('SIGKILL');
		await expect.poll(() => readiness(gateway), LONG).toBe(503);
		await expect.poll(() => logged(gateway, 'cache out of sync').length, LONG).toBeGreaterThan(6); // both caches, 3 each
		await outage.start();
		await expect.poll(() => lists(gateway), LONG).toBeGreaterThan(1);
		expect((await gateways.sendUntilStored(gateway, 'after')).status).toBe(201);
		console.log(`after the second list at most ${peakMegabytes(gateway)} MB`);
		await expect.poll(() => readiness(gateway), LONG).toBe(200); // the API server is asked now and then
		expect(peakMegabytes(gateway)).toBeLessThan(MAX_RESIDENT_MB);
	});
});
