// One RemediationRequest as a link in the chain of its fingerprint: the fields that decide, not the whole object.
import { createHash } from 'node:crypto';
import type { RemediationRequest, RemediationRequestPhase } from '../generated/remediation-request.ts';
import type { AlertEntry } from './alert-entries.ts';

export type RequestLink = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly fingerprint: string;
	/** Counts from 0; the newest link is the one with the highest number. */
	readonly chain: number;
	readonly phase: RemediationRequestPhase | undefined;
	readonly terminal: boolean;
	readonly deleting: boolean;
	readonly successor: string | undefined;
	/** For people: follows the total. */
	readonly occurrenceCount: number;
	/** Signals by the process that counted them; `base` has those of processes that are gone. */
	readonly slots: Readonly<Record<string, number>>;
	readonly base: number;
	/** Of the first signal. */
	readonly firingTime: string;
	/** The alert that made it; absent when the first signal was no alert. */
	readonly alertId: string | undefined;
	/** By the id of each alert that was counted or has ended. */
	readonly alerts: Readonly<Record<string, AlertEntry>>;
	/** There are more than it can follow. */
	readonly alertsOverflow: boolean;
	readonly resolvedAt: string | undefined;
};

/** A link that is about to be made. */
export type NewLink = Pick<RequestLink, 'name' | 'chain'>;

/** Whether a phase is final. A phase that the CRD gains does not compile until it stands here. */
const IS_TERMINAL: Readonly<Record<RemediationRequestPhase, boolean>> = {
	Pending: false,
	Executing: false,
	Blocked: false,
	Completed: true,
	Failed: true,
	TimedOut: true,
	Skipped: true,
	Cancelled: true,
};

const NO_SLOTS: RequestLink['slots'] = {};
const NO_ALERTS: RequestLink['alerts'] = {};

/** Equal signals join it. */
export function isActive(link: RequestLink): boolean {
	return !link.terminal && !link.deleting;
}

/** All signals that the request stands for: the first made it, the others were counted. */
export function totalOf({ base, slots }: Pick<RequestLink, 'base' | 'slots'>): number {
	let total = 1 + base;
	for (const slot in slots) total += slots[slot] ?? 0;
	return total;
}

export function toLink(request: RemediationRequest): RequestLink {
	const { metadata, spec, status } = request;
	const terminal = status?.overallPhase !== undefined && IS_TERMINAL[status.overallPhase];
	return {
		name: metadata.name ?? '',
		uid: metadata.uid ?? '',
		resourceVersion: metadata.resourceVersion ?? '0',
		fingerprint: spec.signalFingerprint,
		chain: spec.chain,
		phase: status?.overallPhase,
		terminal,
		deleting: metadata.deletionTimestamp !== undefined,
		successor: status?.successor?.name,
		occurrenceCount: status?.deduplication?.occurrenceCount ?? 1,
		slots: status?.deduplication?.slots ?? NO_SLOTS,
		base: status?.deduplication?.base ?? 0,
		firingTime: spec.firingTime,
		alertId: spec.alertId,
		// Finished requests are many, and nothing resolves them.
		alerts: terminal ? NO_ALERTS : (status?.alerts ?? NO_ALERTS),
		alertsOverflow: status?.alertsOverflow === true,
		resolvedAt: status?.signalResolvedAt,
	};
}

/** Two replicas with the same view compute the same name, and the API server accepts only one create. */
export function linkName(fingerprint: string, predecessorUid: string | undefined): string {
	const hash = createHash('sha256')
		.update(fingerprint + (predecessorUid ?? ''))
		.digest('hex');
	return `rr-${fingerprint.slice(0, 12)}-${hash.slice(0, 16)}`;
}

export function newestOf(links: Iterable<RequestLink>): RequestLink | undefined {
	let newest: RequestLink | undefined;
	for (const link of links) if (newest === undefined || link.chain > newest.chain) newest = link;
	return newest;
}
