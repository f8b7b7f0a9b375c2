// Writes decisions into the status of requests, with what follows from a write that the API server accepted: metrics, an
// Event, and a NotificationRequest where people should know.
import { isDeepStrictEqual } from 'node:util';
import { createBackoff, sleep } from '@kubernaut/backoff';
import type { End, LockedDecision } from '../decide/decision.ts';
import { isNotified, notificationOf } from '../decide/notification.ts';
import { type Fencing, notifiedPatch } from '../decide/status-patch.ts';
import type { NotificationRequestChannel } from '../generated/notification-request.ts';
import type { KnownObjects } from '../objects/known-objects.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Remediation } from '../objects/remediation.ts';
import type { StatusPatch } from '../objects/request-patch.ts';
import type { Clock } from '../process/clock.ts';
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

// Another writer may come between reading and writing a few times.
const MAX_WRITES = 5;
const BETWEEN_WRITES = createBackoff({ basePeriodMs: 20, maxPeriodMs: 200 });

export function createRequestWriter(
	store: Pick<ObjectStore, 'getRequest' | 'patchRequest' | 'createNotification'>,
	known: Pick<KnownObjects, 'requests' | 'executions'>,
	events: EventRecorder,
	channels: readonly NotificationRequestChannel[] | undefined,
	observer: WriterObserver,
	clock: Pick<Clock, 'setTimer'>,
): RequestWriter {
	async function refresh(request: Remediation): Promise<Remediation | undefined> {
		const fresh = await store.getRequest(request.name);
		if (fresh === undefined || fresh.uid !== request.uid) known.requests.removed(request);
		if (fresh !== undefined) known.requests.changed(fresh);
		return fresh?.uid === request.uid ? fresh : undefined;
	}

	/** Again while it is not applied and `holds`; undefined when it does not hold any more, or is not applied at all. */
	async function patch(
		request: Remediation,
		patchOf: (fresh: Remediation) => StatusPatch,
		holds: (fresh: Remediation) => boolean,
	): Promise<Remediation | undefined> {
		let current = request;
		let isSuspect = false;
		for (let tries = 1; tries <= MAX_WRITES; tries++) {
			const answer = await store.patchRequest(current, patchOf(current));
			if (answer.outcome === 'written') {
				known.requests.changed(answer.request);
				return answer.request;
			}
			const fresh = await refresh(request);
			if (fresh === undefined || fresh.deleting || !holds(fresh)) return undefined;
			if (answer.outcome === 'notApplied' && answer.error.code !== 'KUBE_CONFLICT') {
				// Once, a change may have come and gone. Twice, the schema rejects what we write, and says why.
				const isUnchanged = isDeepStrictEqual(fresh.decidedFrom, current.decidedFrom);
				if (isUnchanged && isSuspect) throw answer.error;
				isSuspect = isUnchanged;
			}
			current = fresh;
			await sleep(BETWEEN_WRITES.calculate(tries), { clock });
		}
		return undefined;
	}

	async function write(
		request: Remediation,
		patchOf: (fresh: Remediation) => StatusPatch,
		decision: Written,
		fencing?: Fencing,
	): Promise<Remediation | undefined> {
		const fenced = (fresh: Remediation) => ({ ...patchOf(fresh), ...(fencing === undefined ? {} : { fencing }) });
		const written = await patch(request, fenced, (fresh) => sameState(fresh, request));
		if (written !== undefined && !isSameBlock(request, written)) report(written, decision);
		return written;
	}

	function report(request: Remediation, decision: Written): void {
		const reason: EventReason = request.block?.reason ?? (decision.do === 'finish' ? decision.outcome : 'Executing');
		const good = request.phase === 'Executing' || request.phase === 'Completed' || request.phase === 'Skipped';
		observer.decided(decision.do, request.block?.reason ?? request.phase ?? 'Pending');
		const message = decision.do === 'block' ? decision.block.message : decision.message;
		events.record(request, good ? 'Normal' : 'Warning', reason, message);
	}

	async function notify(request: Remediation | undefined): Promise<void> {
		if (request === undefined || isNotified(request, known.requests.by('target', request.target))) return;
		const { executionRef, block, blockingExecution } = request;
		const execution = (executionRef ?? block?.holder ?? blockingExecution)?.name;
		const workflow = execution === undefined ? undefined : known.executions.get(execution)?.workflowName;
		const notification = notificationOf(request, { channels, workflow });
		if (notification === undefined) return;
		const made = await store.createNotification(notification);
		observer.notified(notification.spec.type);
		const isMissing = ({ notifications }: Remediation) => notifications.every(({ name }) => name !== made.name);
		if (isMissing(request)) await patch(request, (fresh) => notifiedPatch(fresh, made), isMissing);
	}

	return { write, notify, refresh };
}

/** Only its end moved: that is no news to people. */
function isSameBlock({ block: before }: Remediation, { block: now }: Remediation): boolean {
	return before !== undefined && before.reason === now?.reason && before.message === now.message;
}

/** The decision still holds: other notifications or another message of the same block do not matter to it. */
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
