// Writes decisions into the status of requests, and tells about them: metrics and Events of whoever's write was taken,
// a NotificationRequest where a person should know.
import type { Decision } from '../decide/decision.ts';
import { notificationOf } from '../decide/notification.ts';
import { type Fencing, type StatusPatch, toldPatch } from '../decide/status-patch.ts';
import type { NotificationRequestChannel } from '../generated/notification-request.ts';
import type { KnownObjects } from '../objects/known-objects.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Remediation } from '../objects/remediation.ts';
import type { EventRecorder } from './event-recorder.ts';

/** What can be written of a decision. */
export type Written =
	| Extract<Decision, { do: 'block' | 'finish' }>
	| { readonly do: 'execute' | 'adopt'; readonly message: string };
export type WriterObserver = {
	/** `detail`: the phase, or the reason of the block. */
	decided(decision: Written['do'], detail: string): void;
	told(type: string): void;
};
export type RequestWriter = {
	/** Undefined when what was decided does not hold any more: the next look decides anew. */
	write(
		request: Remediation,
		patchOf: (fresh: Remediation) => StatusPatch,
		decision: Written,
		fencing?: Fencing,
	): Promise<Remediation | undefined>;
	/** Nothing, when nobody needs to know. */
	tell(request: Remediation | undefined): Promise<void>;
	/** As the API server has it now; undefined when it is gone. */
	refresh(request: Remediation): Promise<Remediation | undefined>;
};

// The gateway counts signals on the same objects, so a version may move under our hands a few times.
const WRITE_TRIES = 5;

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
		for (let tries = 0; tries < WRITE_TRIES && current !== undefined && sameState(current, request); tries++) {
			const patch = { ...patchOf(current), ...(fencing === undefined ? {} : { fencing }) };
			const answer = await store.patchRequest(current, patch);
			if (typeof answer === 'object') {
				known.requests.changed(answer);
				announce(answer, decision);
				return answer;
			}
			current = await refresh(request);
		}
		return undefined;
	}

	function announce(request: Remediation, decision: Written): void {
		const reason = request.block?.reason ?? (decision.do === 'finish' ? decision.outcome : 'Executing');
		const good = request.phase === 'Executing' || request.phase === 'Completed' || request.phase === 'Skipped';
		observer.decided(decision.do, request.block?.reason ?? request.phase ?? 'Pending');
		const message = decision.do === 'block' ? decision.block.message : decision.message;
		events.record(request, good ? 'Normal' : 'Warning', reason, message);
	}

	async function tell(request: Remediation | undefined): Promise<void> {
		const notification = request === undefined ? undefined : notificationOf(request, channels);
		if (request === undefined || notification === undefined) return;
		const made = await store.createNotification(notification);
		observer.told(notification.spec.type);
		let current: Remediation | undefined = request;
		for (let tries = 0; tries < WRITE_TRIES && current !== undefined; tries++) {
			if (current.notifications.some(({ name }) => name === made.name)) return;
			const answer = await store.patchRequest(current, toldPatch(current, made));
			if (typeof answer === 'object') {
				known.requests.changed(answer);
				return;
			}
			current = await refresh(request);
		}
	}

	return { write, tell, refresh };
}

/** What decisions are made by; counts and times of the gateway aside. */
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
