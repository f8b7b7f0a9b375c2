// One attempt to deliver a message on one channel: permit (Lease, pace, record) → claim → send → record → release.
// Guarantee: nothing is sent without a claim that the API server accepted, nor when its time is over; what was sent is
// recorded until the record is written or the claim is another's. With every lock off this alone keeps the promise (ADR 17).
// Not guaranteed: once, if a sender stops between the send and the record. The policy of the channel says what follows.
import { randomBytes } from 'node:crypto';
import { createBackoff, sleep } from '@kubernaut/backoff';
import type { Channel } from '../channels/channel.ts';
import type { ClaimEnd, EndRules, UnknownEndPolicy } from '../decide/delivery-entry.ts';
import { deliveryKey, uidKey } from '../decide/delivery-key.ts';
import { type Standing, standingOf } from '../decide/standing.ts';
import type { NewCondition } from '../decide/status.ts';
import type { NotificationRequest } from '../generated/notification-request.ts';
import type { Message } from '../message/message.ts';
import { leaseNameOf } from '../objects/coordination-leases.ts';
import type { KnownNotifications } from '../objects/known-notifications.ts';
import {
	type ChannelName,
	type Delivery,
	deliveryOf,
	type Notification,
	retryPolicyOf,
} from '../objects/notification.ts';
import type { Clock } from '../process/clock.ts';
import type { ClaimBatch } from './claim-batch.ts';
import type { Coordinator, Permit } from './coordination/coordinator.ts';
import type { DeliveryObserver } from './delivery-observer.ts';
import { abandonChange, claimChange, endChange, settleChange } from './entry-changes.ts';
import { EVENT_REASONS, type EventRecorder } from './event-recorder.ts';
import type { Breaker } from './gate/breaker.ts';
import type { EntryChange, StatusWriter, WriteResult } from './status-writer.ts';
import { sendInTime } from './timed-send.ts';

export type DeliveryConfig = {
	readonly podName: string;
	readonly sendTimeoutMs: number;
	readonly claimTimeoutMs: number;
	/** The owner of a claim stops so long before another may take it over. */
	readonly marginMs: number;
	readonly policies: Readonly<Record<ChannelName, UnknownEndPolicy>>;
	/** Undefined: one cluster, and the key is that of the uid. */
	readonly keyTemplate: string | undefined;
};
export type DeliveryParts = {
	readonly known: Pick<KnownNotifications, 'active' | 'claims'>;
	readonly writer: StatusWriter;
	readonly coordinator: Coordinator;
	readonly breaker: Breaker;
	readonly channels: Readonly<Record<ChannelName, Channel>>;
	readonly messageOf: (object: NotificationRequest) => Message;
	readonly events: Pick<EventRecorder, 'record'>;
	readonly config: DeliveryConfig;
	/** Its wall time is the API server's. */
	readonly clock: Clock;
	/** Nothing new is claimed. */
	readonly stopping: AbortSignal;
	readonly observer: DeliveryObserver;
	/** Of a claim: no two are alike. */
	readonly nonce?: () => string;
	/** Of the jitter between attempts. */
	readonly random?: () => number;
};
export type DeliveryTask = {
	readonly name: string;
	readonly uid: string;
	readonly channel: ChannelName;
	/** Where the message goes, as far as this replica knows. */
	readonly channels: readonly ChannelName[];
	readonly batch: ClaimBatch;
};
/** `afterMs`: it is worth another look then, whatever changes. */
export type AttemptResult = {
	readonly afterMs?: number;
	/** The API server accepted a write of ours. */
	readonly acted?: true;
};
export type DeliveryAttempts = {
	standing(notification: Notification, channel: ChannelName): Standing;
	attempt(task: DeliveryTask): Promise<AttemptResult>;
	/** It is finished or gone. */
	forget(uid: string): void;
};

const BETWEEN_RECORDS = createBackoff({ basePeriodMs: 200, maxPeriodMs: 5000 });

export function createDelivery(parts: DeliveryParts): DeliveryAttempts {
	const { known, writer, coordinator, breaker, channels, config, clock, stopping, observer, events } = parts;
	/** Delivered by this process, by id: never sent again from here, also when the record was lost. */
	const delivered = new Map<string, Set<ChannelName>>();
	const now = () => clock.wallTime();
	const nonce = parts.nonce ?? (() => randomBytes(8).toString('hex'));

	function standing(notification: Pick<Notification, 'uid'>, delivery: Delivery | undefined): Standing {
		const silentForMs = delivery === undefined ? 0 : known.claims.silentForMs(notification.uid, delivery);
		return standingOf({ delivery, silentForMs, claimTimeoutMs: config.claimTimeoutMs, now: now().getTime() });
	}

	async function attempt(task: DeliveryTask): Promise<AttemptResult> {
		const { name, uid, channel, batch } = task;
		try {
			const notification = known.active(name, uid);
			if (notification?.object === undefined || stopping.aborted) return {};
			const { is } = standing(notification, deliveryOf(notification, channel));
			if (is !== 'due' && is !== 'silent') return {};
			const claimedBy = `${config.podName}_${nonce()}`;
			if (delivered.get(uid)?.has(channel)) return await settle(task, claimedBy, { end: 'delivered' });
			if (is === 'silent' && config.policies[channel] === 'atMostOnce') return await abandon(task, claimedBy);
			return await permittedAttempt(task, notification, notification.object, claimedBy, is === 'silent');
		} finally {
			batch.leave(channel);
		}
	}

	async function permittedAttempt(
		task: DeliveryTask,
		notification: Notification,
		object: NotificationRequest,
		claimedBy: string,
		isTakeover: boolean,
	): Promise<AttemptResult> {
		const { uid, channel, batch } = task;
		const receiver = channels[channel].receiver();
		const breakerMs = receiver === undefined ? 0 : breaker.waitMs(`${channel} ${receiver}`);
		if (breakerMs > 0) return later('breaker', breakerMs);
		const paceMs = coordinator.waitMs(channel, receiver);
		if (paceMs > 0) return later('pace', paceMs);
		const { key, missing } = keyOf(object, channel);
		const silentClaim = isTakeover ? deliveryOf(notification, channel)?.claimedBy : undefined;
		const policy = config.policies[channel];
		const permit = await coordinator.enter({
			uid,
			channel,
			key,
			receiver,
			claimedBy,
			policy,
			silentClaim,
			abort: stopping,
		});
		if (permit.outcome === 'later') return permit.why === 'aborted' ? {} : later(permit.why, permit.retryInMs);
		if (permit.outcome === 'elsewhere') return settle(task, claimedBy, elsewhere(permit, uid), policy);
		try {
			await batch.arrive(channel);
			const noted = missing === undefined ? [] : [keyOfUid(missing)];
			return await claimAndSend(task, permit, claimedBy, key, receiver, noted, silentClaim);
		} finally {
			await permit.turn.free(0);
			await permit.release();
		}
	}

	async function claimAndSend(
		task: DeliveryTask,
		permit: Permit,
		claimedBy: string,
		key: string,
		receiver: string | undefined,
		noted: readonly NewCondition[],
		silentClaim: string | undefined,
	): Promise<AttemptResult> {
		const { name, uid, channel } = task;
		if (!permit.isHeld() || stopping.aborted) {
			await permit.endRecord('free');
			return {};
		}
		const claim = { claimedBy, fencing: permit.fencing };
		const entryStanding = (current: Delivery | undefined) => standing(task, current);
		// Before the claim is sent: from here on its time counts.
		const claimedAt = clock.now();
		const change = claimChange(channel, claim, entryStanding, now, noted, silentClaim !== undefined);
		const written = await writer.write(task, task.channels, change).catch(async (error: unknown) => {
			await permit.endRecord('free');
			throw error;
		});
		const object = written.outcome === 'written' ? written.notification.object : undefined;
		if (written.outcome !== 'written' || object === undefined) {
			await permit.endRecord('free'); // another replica was first, or the message is gone
			return {};
		}
		const { entry } = written;
		if (silentClaim !== undefined) {
			observer.takenOver({ name, channel, from: silentClaim });
			reportUnknown(task, `${silentClaim} stopped before it recorded what it sent; it is sent again`, true);
		}
		const startedAt = clock.now();
		const message = parts.messageOf(object);
		const target = receiver === undefined ? undefined : `${channel} ${receiver}`;
		if (target !== undefined) breaker.began(target);
		const end = await sendInTime({
			channel: channels[channel],
			message,
			idempotencyKey: leaseNameOf('', key),
			remaining: entry.remaining,
			sendTimeoutMs: config.sendTimeoutMs,
			deadline: Math.min(claimedAt + config.claimTimeoutMs - config.marginMs, permit.turn.deadline),
			clock,
		});
		const sendSeconds = (clock.now() - startedAt) / 1000;
		if (end.end === 'delivered') rememberDelivered(uid, channel);
		if (target !== undefined && end.end === 'given-back') breaker.notTried(target);
		else if (target !== undefined) breaker.ended(channel, target, answered(end));
		const freed = permit.turn.free(end.end === 'refused-for-now' ? (end.retryAfterMs ?? 0) : 0);
		// Not waited for: a coordination cluster that is away must not keep the result from its message.
		const recorded = permit.endRecord(recordEndOf(end, config.policies[channel])).catch(() => undefined);
		await record(task, entry, end, object, sendSeconds);
		await Promise.all([freed, Promise.race([recorded, sleep(config.marginMs, { clock })])]);
		return { acted: true };
	}

	/** Tried until it is written, or the claim is another's. */
	async function record(
		task: DeliveryTask,
		entry: Delivery,
		end: ClaimEnd,
		object: NotificationRequest,
		sendSeconds: number,
	): Promise<void> {
		const change = endChange(entry, end, () => rulesOf(object, task.channel));
		for (let tries = 1; ; tries++)
			try {
				const written = await writer.write(task, task.channels, change);
				if (written.outcome === 'written') report(task, end, written, sendSeconds);
				return;
			} catch (error) {
				observer.attemptFailed({ name: task.name, channel: task.channel, error });
				await sleep(BETWEEN_RECORDS.calculate(tries), { clock });
			}
	}

	/** Without a send: it is known what became of the message. */
	async function settle(
		task: DeliveryTask,
		claimedBy: string,
		end: ClaimEnd,
		policy?: UnknownEndPolicy,
	): Promise<AttemptResult> {
		const object = known.active(task.name, task.uid)?.object;
		if (object === undefined) return {};
		const rules = () => ({ ...rulesOf(object, task.channel), ...(policy === undefined ? {} : { policy }) });
		const change = settleChange(task.channel, { claimedBy }, end, (current) => standing(task, current), rules);
		return apply(task, change, end);
	}

	async function abandon(task: DeliveryTask, claimedBy: string): Promise<AttemptResult> {
		const detail = 'the sender stopped before it recorded what it sent; it is not sent again';
		const change = abandonChange(task.channel, claimedBy, (current) => standing(task, current), now);
		return apply(task, change, { end: 'unknown', reason: 'Aborted', detail });
	}

	async function apply(task: DeliveryTask, change: EntryChange, end: ClaimEnd): Promise<AttemptResult> {
		const written = await writer.write(task, task.channels, change);
		if (written.outcome !== 'written') return {};
		report(task, end, written);
		return { acted: true };
	}

	function report(
		{ name, uid, channel }: DeliveryTask,
		end: ClaimEnd,
		{ notification, entry, finishes }: Extract<WriteResult, { outcome: 'written' }>,
		sendSeconds?: number,
	): void {
		const seconds = sendSeconds === undefined ? {} : { sendSeconds };
		observer.ended({ name, channel, end: end.end, delivery: entry, ...seconds });
		if (end.end === 'unknown') reportUnknown({ name, uid, channel }, end.detail, entry.final !== true);
		else if (entry.final === true)
			events.record(notification, 'GivenUp', `${channel}: ${entry.reason ?? ''}: ${entry.error ?? ''}`);
		const { phase } = notification;
		if (finishes && (phase === 'Sent' || phase === 'PartiallySent' || phase === 'Failed')) {
			observer.finished(name, phase);
			events.record(notification, phase, EVENT_REASONS[phase]);
		}
	}

	function reportUnknown(
		{ name, uid, channel }: Pick<DeliveryTask, 'name' | 'uid' | 'channel'>,
		detail: string,
		repeated: boolean,
	): void {
		observer.outcomeUnknown({ name, channel, repeated });
		events.record({ name, uid }, 'OutcomeUnknown', `${channel}: ${detail}`);
	}

	function later(reason: 'contended' | 'unavailable' | 'breaker' | 'pace', afterMs: number): AttemptResult {
		observer.requeued(reason);
		return { afterMs };
	}

	function rememberDelivered(uid: string, channel: ChannelName): void {
		delivered.set(uid, (delivered.get(uid) ?? new Set()).add(channel));
	}

	function keyOf({ metadata: { uid }, spec }: NotificationRequest, channel: ChannelName) {
		if (config.keyTemplate === undefined) return { key: uidKey(uid, channel) };
		return deliveryKey(config.keyTemplate, uid, spec, channel);
	}

	function rulesOf({ spec }: NotificationRequest, channel: ChannelName): EndRules {
		const { random } = parts;
		const rules = { policy: config.policies[channel], retry: retryPolicyOf(spec), now: now() };
		return random === undefined ? rules : { ...rules, random };
	}

	return {
		standing: (notification, channel) => standing(notification, deliveryOf(notification, channel)),
		attempt,
		forget: (uid) => void delivered.delete(uid),
	};
}

/** The receiver gave an answer, whatever it said about this message. */
function answered(end: ClaimEnd): boolean {
	if (end.end === 'delivered' || end.end === 'refused-for-good') return true;
	return end.end === 'refused-for-now' && (end.reason === 'SomeRecipientsRejected' || end.reason === 'NotConfigured');
}

function recordEndOf({ end }: ClaimEnd, policy: UnknownEndPolicy): 'Delivered' | 'Unknown' | 'free' {
	if (end === 'delivered') return 'Delivered';
	return end === 'unknown' && policy === 'atMostOnce' ? 'Unknown' : 'free';
}

function elsewhere(
	{ state, message }: { readonly state: 'Delivered' | 'Unknown'; readonly message: string },
	uid: string,
): ClaimEnd {
	if (state === 'Unknown')
		return {
			end: 'unknown',
			reason: 'Aborted',
			detail: 'another sender of the same key stopped before it recorded what it sent',
		};
	if (message === uid) return { end: 'delivered' };
	return {
		end: 'delivered-elsewhere',
		detail: `sent for the NotificationRequest with uid ${message} of another cluster`,
	};
}

function keyOfUid(missing: string): NewCondition {
	return {
		type: 'KeyOfUid',
		status: 'True',
		reason: 'VariableMissing',
		message: `the key across clusters needs {${missing}}, which spec.context lacks: another cluster may send the same`,
	};
}
