// One RemediationRequest as a link in the chain of its fingerprint: the fields that decide, not the whole object.
import { createHash } from 'node:crypto';
import type { RemediationRequest, RemediationRequestPhase } from '../generated/remediation-request.ts';

export type RequestLink = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly fingerprint: string;
	/** Counts from 0; the newest link is the one with the highest number. */
	readonly chain: number;
	readonly terminal: boolean;
	readonly deleting: boolean;
	readonly successor: string | undefined;
	readonly count: number;
	/** Pod → id of its last commit to the count. */
	readonly commits: Readonly<Record<string, string>>;
	readonly resolved: boolean;
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

/** Equal signals join it. */
export function isActive(link: RequestLink): boolean {
	return !link.terminal && !link.deleting;
}

export function toLink(request: RemediationRequest): RequestLink {
	const { metadata, spec, status } = request;
	return {
		name: metadata.name ?? '',
		uid: metadata.uid ?? '',
		resourceVersion: metadata.resourceVersion ?? '0',
		fingerprint: spec.signalFingerprint,
		chain: spec.chain,
		terminal: status?.overallPhase !== undefined && IS_TERMINAL[status.overallPhase],
		deleting: metadata.deletionTimestamp !== undefined,
		successor: status?.successor?.name,
		count: status?.deduplication?.occurrenceCount ?? 1,
		commits: status?.deduplication?.commits ?? {},
		resolved: status?.signalResolvedAt !== undefined,
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
