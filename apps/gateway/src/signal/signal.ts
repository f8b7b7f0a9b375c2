// One signal, whatever source it came from: what the gateway makes a RemediationRequest of.

export type TargetResource = {
	readonly kind: string;
	readonly name: string;
	/** Absent for what is not in a namespace. */
	readonly namespace?: string;
	readonly apiVersion?: string;
};

export type Signal = {
	/** Equal for equal incidents, different for different ones: 64 hex digits. */
	readonly fingerprint: string;
	readonly name: string;
	readonly severity: string;
	readonly type: 'alert' | 'event';
	/** Who sent it: the receiver's or the reporting component's name. */
	readonly source: string;
	readonly target: TargetResource;
	readonly firingTime: string;
	readonly receivedTime: string;
	readonly labels: Readonly<Record<string, string>>;
	readonly annotations: Readonly<Record<string, string>>;
	/** As it came, for people; cut to what the CRD allows. */
	readonly payload: string;
};

export type RequestRef = { readonly name: string; readonly namespace: string };

/** Why a signal could not be taken now, although it is a good one: the sender should try again. */
export const LATER_REASONS = [
	'lock-timeout',
	'contention',
	'starting',
	'api-unavailable',
	'api-forbidden',
	'overloaded',
	'shutting-down',
] as const;
export type LaterReason = (typeof LATER_REASONS)[number];

export type IngestResult =
	| { readonly outcome: 'created'; readonly request: RequestRef; readonly occurrenceCount: number }
	| { readonly outcome: 'duplicate'; readonly request: RequestRef; readonly occurrenceCount: number }
	| { readonly outcome: 'later'; readonly reason: LaterReason; readonly retryAfterMs: number; readonly message: string }
	/** The API server refuses it and always will. */
	| { readonly outcome: 'refused'; readonly message: string };

export type ResolveResult =
	/** `request` is absent when nothing active stands for the signal. */
	| { readonly outcome: 'resolved'; readonly request?: RequestRef }
	| Extract<IngestResult, { outcome: 'later' | 'refused' }>;

/** The use cases, as the HTTP side sees them. An abort of `signal` rejects with its reason, at once. */
export type SignalIngest = {
	ingest(signal: Signal, options: { signal: AbortSignal }): Promise<IngestResult>;
	resolve(signal: Signal, options: { signal: AbortSignal }): Promise<ResolveResult>;
};
