// Writes decisions into the status of requests, with what follows from a write that the API server accepted: metrics, an
// Event, and a NotificationRequest where people should know.
import type { End, LockedDecision } from '../decide/decision.ts';
import { notificationOf } from '../decide/notification.ts';
import { type Fencing, notifiedPatch } from '../decide/status-patch.ts';
import type { NotificationRequestChannel } from '../generated/notification-request.ts';
import type { KnownObjects } from '../objects/known-objects.ts';
import type { ObjectStore, StatusPatch } from '../objects/object-store.ts';
import type { Remediation } from '../objects/remediation.ts';
import type { EventReason, EventRecorder } from './event-recorder.ts';

/** What is written of a decision; an end after an execution is a `finish`, too. */
export type Written =
	| Extract<LockedDecision, { do: 'block' }>
	| ({ readonly do: 'finish' } & End)
	| { readonly do: 'execute' | 'adopt'; readonly message: string };
export type WriterObserver = {
	/** `detail`: the phase, or the block reason. */
	decided(decision: LockedDecision['do'], detail: string): void;
	notified(type: string): void;
};
export type RequestWriter = {
	/** Undefined when the decision does not hold any more: the next reconcile decides anew. */
	write(
		request: Remediation,
		patchOf: (fresh: Remediation) => StatusPatch,
		decision: Written,
		fencing?: Fencing,
	): Promise<Remediation | undefined>;
	/** Does nothing for a state that asks for no notification. */
	notify(request: Remediation | undefined): Promise<void>;
	/** As the API server has it now; undefined when it is gone. */
	refresh(request: Remediation): Promise<Remediation | undefined>;
};

// The gateway counts signals on the same objects, so a version may change a few times while we write.
const MAX_WRITES = 5;

export function createRequestWriter(
	store: Pick<ObjectStore, 'getRequest' | 'patchRequest' | 'createNotification'>,
	known: Pick<KnownObjects, 'requests'>,
	events: EventRecorder,
	channels: readonly NotificationRequestChannel[],
	observer: WriterObserver,
): RequestWriter {
	async function refresh(request: Remediation): Promise<Remediation | undefined> {
		const fresh = await store.getRequest(request.name);
		if (fresh === undefined || fresh.uid !== request.uid) known.requests.removed(request);
		if (fresh !== undefined) known.requests.changed(fresh);
		return fresh?.uid === request.uid ? fresh : undefined;
	}

	async function write(
		request: Remediation,
		patchOf: (fresh: Remediation) => StatusPatch,
		decision: Written,
		fencing?: Fencing,
	): Promise<Remediation | undefined> {
		let current: Remediation | undefined = request;
		for (let tries = 0; tries < MAX_WRITES && current !== undefined && sameState(current, request); tries++) {
			const patch = { ...patchOf(current), ...(fencing === undefined ? {} : { fencing }) };
			const answer = await store.patchRequest(current, patch);
			if (typeof answer === 'object') {
				known.requests.changed(answer);
				report(answer, decision);
				return answer;
			}
			current = await refresh(request);
		}
		return undefined;
	}

	function report(request: Remediation, decision: Written): void {
		const reason: EventReason = request.block?.reason ?? (decision.do === 'finish' ? decision.outcome : 'Executing');
		const good = request.phase === 'Executing' || request.phase === 'Completed' || request.phase === 'Skipped';
		observer.decided(decision.do, request.block?.reason ?? request.phase ?? 'Pending');
		const message = decision.do === 'block' ? decision.block.message : decision.message;
		events.record(request, good ? 'Normal' : 'Warning', reason, message);
	}

	async function notify(request: Remediation | undefined): Promise<void> {
		const notification = request === undefined ? undefined : notificationOf(request, channels);
		if (request === undefined || notification === undefined) return;
		const made = await store.createNotification(notification);
		observer.notified(notification.spec.type);
		let current: Remediation | undefined = request;
		for (let tries = 0; tries < MAX_WRITES && current !== undefined; tries++) {
			if (current.notifications.some(({ name }) => name === made.name)) return;
			const answer = await store.patchRequest(current, notifiedPatch(current, made));
			if (typeof answer === 'object') {
				known.requests.changed(answer);
				return;
			}
			current = await refresh(request);
		}
	}

	return { write, notify, refresh };
}

/** The fields that decisions depend on, without the gateway's counts and times. */
function sameState(a: Remediation, b: Remediation): boolean {
	return (
		a.uid === b.uid &&
		a.phase === b.phase &&
		a.block?.reason === b.block?.reason &&
		a.executionRef?.uid === b.executionRef?.uid &&
		a.resolvedAt === b.resolvedAt &&
		a.deleting === b.deleting
	);
}
