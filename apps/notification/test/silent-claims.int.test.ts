// A sender that died with claims on several channels of one message: each channel goes on, as its policy says, and the API
// server accepts what is written about all of them together. Default times: a claim is silent after 20 s.
import { type ReceiverSet, startReceiverSet } from '@kubernaut/receivers';
import { atTheEnd, scratchDirectory } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NotificationRequest, NotificationRequestChannel } from '../src/generated/notification-request.ts';
import { openWorld, type World } from './harness/world.ts';

const AT_MOST_ONCE = 'email';
const ROWS: { readonly channels: NotificationRequestChannel[]; readonly phase: string }[] = [
	{ channels: ['slack', 'webhook'], phase: 'Sent' },
	{ channels: ['webhook', AT_MOST_ONCE], phase: 'PartiallySent' },
	{ channels: ['slack', 'webhook', AT_MOST_ONCE], phase: 'PartiallySent' },
];

describe.each(['false', 'true'])('claims of a dead sender, USE_DISTRIBUTED_LOCKING=%s', (locking) => {
	let world: World;
	let receivers: ReceiverSet;

	beforeAll(async () => {
		receivers = await startReceiverSet(await scratchDirectory());
		atTheEnd(() => receivers.close());
		const policy = { DELIVERY_AT_MOST_ONCE: AT_MOST_ONCE, USE_DISTRIBUTED_LOCKING: locking };
		world = await openWorld(`nr-silent-${locking}`, { ...receivers.environment, ...policy });
	});

	it('each message reaches its end on every channel', async () => {
		const made = await Promise.all(ROWS.map(({ channels }) => claimedByTheDead(channels)));
		await Promise.all(['a', 'b', 'c'].map((pod) => world.start(`notification-${pod}`)));
		for (const [index, { channels, phase }] of ROWS.entries()) {
			const { metadata, status } = await world.until(made[index] as NotificationRequest, phase);
			const ends = status?.deliveries?.map(({ channel, state, reason }) => [channel, reason ?? state]).toSorted();
			const wanted = channels.map((channel) => [channel, channel === AT_MOST_ONCE ? 'OutcomeUnknown' : 'Delivered']);
			expect(ends).toEqual(wanted.toSorted());
			expect(receivers.mail.received.filter(({ text }) => text.includes(metadata.name))).toEqual([]);
			for (const channel of ['slack', 'webhook'] as const) {
				const arrived = receivers[channel].received.filter(({ body }) => body.includes(metadata.name));
				expect(arrived, `${metadata.name} on ${channel}`).toHaveLength(channels.includes(channel) ? 1 : 0);
			}
			const said = status?.conditions?.filter(({ type }) => type === 'OutcomeUnknown') ?? [];
			expect(said).toHaveLength(1);
		}
	});

	async function claimedByTheDead(channels: NotificationRequestChannel[]): Promise<NotificationRequest> {
		const made = await world.create({ channels });
		const at = new Date().toISOString();
		const claims = channels.map((channel) => ({
			channel,
			state: 'Claimed',
			attempt: 1,
			claimedBy: `dead-${channel}_0011`,
			at,
		}));
		const status = { phase: 'Sending', channels, deliveries: claims };
		const body = { apiVersion: made.apiVersion, kind: made.kind, metadata: made.metadata, status };
		await world.api.call('PUT', `${world.path}/${made.metadata.name}/status`, { body });
		return made;
	}
});
