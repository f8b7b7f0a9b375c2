// Stops a replica at a moment at which it holds a lock: frozen as soon as its Lease is seen, kept when the Lease is still its
// own then, let go and tried again otherwise.
import { setTimeout as delay } from 'node:timers/promises';
import type { AppName } from '@kubernaut/testkit';
import { inject } from 'vitest';
import { recordHistory } from './judging/history.ts';
import { leasesPath } from './objects.ts';
import type { Platform, Replica } from './platform.ts';

export type Caught = { readonly replica: Replica; readonly lease: string; readonly key: string };

const PATIENCE_MS = 90_000;
const LOOK_MS = 5;

/** Frozen, and the holder of a Lease with this prefix. There must be load that makes the app lock. */
export async function catchHolder(platform: Platform, app: AppName, prefix: string): Promise<Caught> {
	const replicas = await platform.replicas(app);
	const leases = await recordHistory(inject('controlPlane').kubeconfigPath, leasesPath(platform));
	const seen: { name: string; holder: string; key: string }[] = [];
	leases.onChange(({ type, object }) => {
		const { name, annotations } = object['metadata'];
		if (type !== 'ADDED' || !String(name).startsWith(prefix)) return;
		seen.push({ name, holder: object['spec'].holderIdentity, key: annotations?.['kubernaut.ai/lock-key'] });
	});
	try {
		const givenUpAt = performance.now() + PATIENCE_MS;
		while (performance.now() < givenUpAt) {
			const last = seen.pop();
			seen.length = 0; // older ones are released by now
			const replica = replicas.find(({ name }) => last?.holder.startsWith(`${name}_`));
			if (last === undefined || replica === undefined) {
				await delay(LOOK_MS);
				continue;
			}
			await replica.freeze();
			const { status, body } = await platform.api.send('GET', `${leasesPath(platform)}/${last.name}`);
			if (status === 200 && body['spec'].holderIdentity === last.holder)
				return { replica, lease: last.name, key: last.key };
			await replica.thaw();
		}
		throw new Error(`no ${app} could be stopped while it held a lock, in ${PATIENCE_MS / 1000} s`);
	} finally {
		leases.stop();
	}
}
