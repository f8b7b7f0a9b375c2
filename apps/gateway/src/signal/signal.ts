// One signal, of any source: the gateway makes a RemediationRequest of it.

export type TargetResource = {
	readonly kind: string;
	readonly name: string;
	/** Absent for a cluster-scoped kind. */
	readonly namespace?: string;
	readonly apiVersion?: string;
};

export type Signal = {
	/** Equal for equal incidents, different for different ones: 64 hex digits. */
	readonly fingerprint: string;
	readonly name: string;
	readonly severity: string;
	readonly type: 'alert' | 'event';
	/** The sender: name of the receiver or of the reporting component. */
	readonly source: string;
	readonly target: TargetResource;
	readonly firingTime: string;
	readonly receivedTime: string;
	/** When the problem ended, of a signal that reports so. */
	readonly resolvedTime?: string;
	readonly labels: Readonly<Record<string, string>>;
	readonly annotations: Readonly<Record<string, string>>;
	/** As it came, for people, when it is to be stored. */
	readonly payload?: string;
};

export type RequestRef = { readonly name: string; readonly namespace: string };

/** Why a valid signal is deferred: the sender should send it again. */
export const DEFERRAL_REASONS = [
	'lock-timeout',
	'contention',
	'starting',
	'api-unavailable',
	'api-slow',
	'api-forbidden',
	'api-throttled',
	'shutting-down',
	'overloaded',
] as const;
export type DeferralReason = (typeof DEFERRAL_REASONS)[number];
export type Deferred = {
	readonly outcome: 'deferred';
	readonly reason: DeferralReason;
	readonly retryAfterMs: number;
	readonly message: string;
};
/** The API server refuses it and always will. */
export type Rejected = { readonly outcome: 'rejected'; readonly message: string };

export type IngestResult =
	| { readonly outcome: 'created'; readonly request: RequestRef; readonly occurrenceCount: number }
	| { readonly outcome: 'duplicate'; readonly request: RequestRef; readonly occurrenceCount: number }
	| Deferred
	| Rejected;

export type ResolveResult =
	/** `request` is absent when nothing active stands for the signal. */
	| { readonly outcome: 'resolved'; readonly request?: RequestRef }
	/** The problem began again after it ended: the report is old, and nothing is marked. */
	| { readonly outcome: 'outdated'; readonly request: RequestRef; readonly firingAgainSince: string }
	| Deferred
	| Rejected;

export type IngestOptions = {
	readonly abort: AbortSignal;
	/** When the caller gives up, on the monotonic clock: what cannot be done by then is deferred at once. */
	readonly deadlineAt?: number;
};

/** The use cases, as the HTTP side sees them. An abort rejects with its reason, at once. */
export type SignalIngest = {
	ingest(signal: Signal, options: IngestOptions): Promise<IngestResult>;
	resolve(signal: Signal, options: IngestOptions): Promise<ResolveResult>;
};
