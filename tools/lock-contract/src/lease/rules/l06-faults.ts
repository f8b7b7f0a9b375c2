import { createServer } from 'node:net';
import { expect } from 'vitest';
import { kubeConfigOf, listen } from '../../any-lock/kube-config.ts';
import { within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

export const L6: Rule<LeaseStage> = {
	id: 'L6',
	title: 'no call of the lease client waits for ever',
	checks: [
		{
			title: 'each call of the client ends with `timeout` when the server never answers',
			async run(stage) {
				const silent = createServer();
				const host = await listen(silent);
				stage.onClose(() => silent.close());
				const config = kubeConfigOf(`https://${host}`);
				const kube = stage.site.modules.kube.createKubeClient(config, 150, { called() {} });
				stage.onClose(() => kube.close());
				const { lock, client } = stage.pod({ kube });
				const name = lock.leaseName(stage.key());
				const lease = stage.toLease({ metadata: { name, uid: 'u', resourceVersion: '1' }, spec: {} });
				const now = new Date(0).toISOString();
				const times = { durationMs: 30_000, acquireTime: now, renewTime: now };
				const write = { name, key: 'k', holder: 'a_1', transitions: 0, ...times };
				const calls = [client.create(write), client.read(name), client.replace(lease, write), client.remove(lease)];
				const ends = calls.map((call) => call.catch((error: unknown) => error));
				for (const end of await within('an answer or a fault', Promise.all(ends)))
					expect(end).toMatchObject({ kind: 'timeout' });
			},
		},
	],
};
