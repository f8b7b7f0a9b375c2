// Writes entries of channels into the status, compare-and-set on the version that they were decided from.
// Guarantee: changes of one message never overlap in this process; those that come while a write is under way go together in
// the next one; a conflict is read again and decided again. A write whose answer was lost is read back.
// Not guaranteed: that a change is applied. Its caller hears whether it was.
import { createBackoff, sleep } from '@kubernaut/backoff';
import { type NewCondition, statusOf } from '../decide/status.ts';
import { KubeError } from '../kube/kube.ts';
import type { KnownNotifications } from '../objects/known-notifications.ts';
import { type ChannelName, type Delivery, deliveryOf, isFinished, type Notification } from '../objects/notification.ts';
import type { NotificationStore } from '../objects/notification-store.ts';
import type { Clock } from '../process/clock.ts';

export type EntryChange = {
	readonly channel: ChannelName;
	/** Undefined: it does not hold any more. */
	next(current: Delivery | undefined): Delivery | undefined;
	/** This very change was applied: for a write whose answer was lost. */
	isApplied(current: Delivery): boolean;
	readonly noted?: readonly NewCondition[];
};
/** `written` has the message as it is now; `dropped`: the change did not hold, or the message is finished or gone. */
export type WriteResult =
	| {
			readonly outcome: 'written';
			readonly notification: Notification;
			readonly entry: Delivery;
			/** This change finished the message; of changes that were written together, one did. */
			readonly finishes: boolean;
	  }
	| { readonly outcome: 'dropped' };
export type StatusWriter = {
	write(
		notification: Pick<Notification, 'name' | 'uid'>,
		channels: readonly ChannelName[],
		change: EntryChange,
	): Promise<WriteResult>;
};

type Pending = {
	readonly change: EntryChange;
	readonly channels: readonly ChannelName[];
	settle(result: WriteResult): void;
	reject(error: unknown): void;
};
type Planned = Pending & { readonly entry: Delivery };

const DROPPED: WriteResult = { outcome: 'dropped' };
const MAX_CONFLICTS = 20;
const BETWEEN_CONFLICTS = createBackoff({ basePeriodMs: 10, maxPeriodMs: 500 });

export function createStatusWriter(
	store: Pick<NotificationStore, 'get' | 'patchStatus'>,
	known: Pick<KnownNotifications, 'get' | 'changed' | 'removed'>,
	clock: Pick<Clock, 'wallTime' | 'setTimer'>,
): StatusWriter {
	/** By uid: what waits for the write that is under way. */
	const waiting = new Map<string, Pending[]>();

	async function refresh({ name, uid }: Pick<Notification, 'name' | 'uid'>): Promise<Notification | undefined> {
		const fresh = await store.get(name);
		const before = known.get(name);
		if (before !== undefined && fresh?.uid !== before.uid) known.removed(before);
		if (fresh !== undefined) known.changed(fresh);
		return fresh?.uid === uid ? fresh : undefined;
	}

	/** Settles what is applied, or does not hold; returns the rest with the status that it makes. */
	function plan(current: Notification, all: readonly Pending[]) {
		let { deliveries } = current;
		const rest: Planned[] = [];
		const channels = current.channels ?? all[0]?.channels ?? [];
		for (const one of all) {
			const { change } = one;
			const entry = deliveryOf({ deliveries }, change.channel);
			const next = channels.includes(change.channel) ? change.next(entry) : undefined;
			if (entry !== undefined && change.isApplied(entry))
				one.settle({ outcome: 'written', notification: current, entry, finishes: false });
			else if (next === undefined || isFinished(current) || current.deleting) one.settle(DROPPED);
			else {
				rest.push({ ...one, entry: next });
				deliveries = [...deliveries.filter(({ channel }) => channel !== next.channel), next];
			}
		}
		const noted = rest.flatMap(({ change }) => change.noted ?? []);
		return { rest, status: statusOf(current, channels, deliveries, clock.wallTime(), noted) };
	}

	async function flush(about: Pick<Notification, 'name' | 'uid'>, batch: readonly Pending[]): Promise<void> {
		let rest = batch;
		try {
			const cached = known.get(about.name);
			let current = cached?.uid === about.uid ? cached : await refresh(about);
			for (let conflicts = 0; rest.length > 0; conflicts++) {
				if (current === undefined) {
					for (const { settle } of rest) settle(DROPPED);
					return;
				}
				const planned = plan(current, rest);
				({ rest } = planned);
				if (rest.length === 0) return;
				const answer = await store.patchStatus(current, planned.status);
				if (typeof answer === 'object') {
					known.changed(answer);
					for (const [index, { settle, entry }] of planned.rest.entries())
						settle({ outcome: 'written', notification: answer, entry, finishes: isFinished(answer) && index === 0 });
					return;
				}
				if (conflicts >= MAX_CONFLICTS) throw new Error('the message changed again and again while it was written');
				if (conflicts > 0) await sleep(BETWEEN_CONFLICTS.calculate(conflicts), { clock });
				current = await refresh(about);
			}
		} catch (error) {
			const found = isLostAnswer(error) ? await refresh(about).catch(() => undefined) : undefined;
			for (const { change, settle, reject } of rest) {
				const entry = found === undefined ? undefined : deliveryOf(found, change.channel);
				if (found !== undefined && entry !== undefined && change.isApplied(entry))
					settle({ outcome: 'written', notification: found, entry, finishes: false });
				else reject(error);
			}
		}
	}

	async function flushAll(about: Pick<Notification, 'name' | 'uid'>): Promise<void> {
		// Changes of the same turn of the event loop go together.
		await new Promise((resolve) => setImmediate(resolve));
		for (;;) {
			const batch = waiting.get(about.uid) ?? [];
			if (batch.length === 0) break;
			waiting.set(about.uid, []);
			await flush(about, batch);
		}
		waiting.delete(about.uid);
	}

	return {
		write: ({ name, uid }, channels, change) =>
			new Promise((settle, reject) => {
				const pending = { change, channels, settle, reject };
				const others = waiting.get(uid);
				if (others !== undefined) return void others.push(pending);
				waiting.set(uid, [pending]);
				return void flushAll({ name, uid });
			}),
	};
}

/** The write may have been done. */
function isLostAnswer(error: unknown): boolean {
	return error instanceof KubeError && (error.code === 'KUBE_TIMEOUT' || error.code === 'KUBE_UNAVAILABLE');
}
