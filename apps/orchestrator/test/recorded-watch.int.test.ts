// The history that tests judge by has no gap, also when its connection is cut.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminApi, atTheEnd, createNamespace, scratchDirectory, startRelay } from '@kubernaut/testkit';
import { describe, expect, inject, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { RecordedWatch } from './harness/recorded-watch.ts';
import { World } from './harness/world.ts';

describe('a recorded watch', () => {
	it('goes on where it was cut off: it has every version once, in their order', async () => {
		const api = adminApi();
		const world = new World(api, await createNamespace(api, 'recorded'), '', {});
		const relay = await startRelay(new URL(api.server));
		const kubeconfig = join(await scratchDirectory(), 'kubeconfig');
		const own = readFileSync(inject('controlPlane').kubeconfigPath, 'utf8');
		writeFileSync(kubeconfig, own.replace(new URL(api.server).port, String(relay.port)));

		const recorded: string[] = [];
		const watch = await RecordedWatch.start<RemediationRequest>(
			world.namespace,
			'remediationrequests',
			kubeconfig,
			({ object }) => recorded.push(object.metadata.resourceVersion),
		);
		atTheEnd(async () => {
			await watch.stop();
			await relay.close();
		});
		const stored: string[] = [];
		const store = async () => {
			const { metadata } = await world.createRequest();
			const patched = await world.patchRequest(metadata.name, { overallPhase: 'Pending' });
			stored.push(metadata.resourceVersion, patched.metadata.resourceVersion);
		};
		for (let cut = 0; cut < 3; cut++) {
			await store();
			await watch.caughtUp();
			relay.off();
			await store();
			relay.on();
		}
		await watch.caughtUp();
		expect(recorded).toEqual(stored);
	});
});
