// Two clusters with a message for each cause of the same incident, one coordination cluster: the causes that were sent.
import { DeliveryRecords } from '../../src/act/coordination/delivery-records.ts';
import { deliveryKey } from '../../src/decide/delivery-key.ts';
import { LeasesInMemory } from '../harness/leases-in-memory.ts';
import { anObject } from '../harness/made-up.ts';

export async function sendInTwoClusters(template: string, causes: readonly string[]): Promise<string[]> {
	const clock = { now: () => 0, wallTime: () => new Date(0), setTimer: () => () => {} };
	const leases = new LeasesInMemory(clock.wallTime);
	const records = () =>
		new DeliveryRecords({ leases, claimTimeoutMs: 20_000, clock, stopping: new AbortController().signal });
	const clusters = { a: records(), b: records() };
	const sent: string[] = [];
	const { spec } = anObject();
	for (const cause of causes)
		for (const [name, cluster] of Object.entries(clusters)) {
			const uid = `${name}-${cause}`;
			const { key } = deliveryKey(template, uid, { ...spec, context: { ...spec.context, cause } }, 'slack');
			const claim = await cluster.claim({ key, uid, claimedBy: uid, policy: 'atLeastOnce' });
			if (claim.outcome !== 'claimed') continue;
			sent.push(cause);
			await claim.end('Delivered');
		}
	return sent.toSorted();
}
