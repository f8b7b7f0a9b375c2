// One signal, of any source: the gateway makes a RemediationRequest of it.

export type TargetResource = {
	readonly kind: string;
	readonly name: string;
	/** Absent for a cluster-scoped kind. */
	readonly namespace?: string;
	readonly apiVersion?: string;
};

/** As in the metadata of an object. */
export type OwnerReference = {
	readonly apiVersion?: string;
	readonly kind: string;
	readonly name: string;
	/** Of several owners the one that manages the object. */
	readonly controller?: boolean;
};

/**
 * What the API server is asked when a request is made; signals that join one ask nothing. `target` of the signal is what
 * stands when nothing is found.
 */
export type LookUp =
	| { readonly find: 'nothing' }
	/** The first controller above the target (a Pod, a ReplicaSet or a Job) that is none of these three. */
	| {
			readonly find: 'owner';
			/** As the sender gave them: for a target that is gone. Often none. */
			readonly ownerReferences: readonly OwnerReference[];
			/** Owners in the namespace of the target whose names its name implies, for a target that is gone; the likeliest first. */
			readonly impliedOwners: readonly { readonly kind: 'ReplicaSet' | 'Job'; readonly name: string }[];
	  }
	/** The Node that was measured: where this pod (the exporter) runs, else the one with this address or name. One is there. */
	| {
			readonly find: 'node';
			readonly pod?: { readonly namespace: string; readonly name: string };
			/** An IP address or a host name, without port. */
			readonly address?: string;
	  }
	/** Spelling and scope of the target's kind, which is no built-in one: only discovery knows them. */
	| { readonly find: 'kind' };

/** One alert of an incident: it fires and ends apart from the others. */
export type AlertOccurrence = {
	/** Alertmanager's own fingerprint, else a hash of all labels: 1 to 64 hex digits. */
	readonly id: string;
	/** RFC 3339. */
	readonly startsAt: string;
	/** Of an alert that is resolved. */
	readonly endsAt?: string;
};

export type Signal = {
	/** Equal for equal incidents, different for different ones: 64 hex digits. A pure function of signal and rules. */
	readonly fingerprint: string;
	readonly name: string;
	readonly severity: string;
	readonly type: 'alert' | 'event';
	/** The sender: name of the receiver or of the reporting component. */
	readonly source: string;
	/** As the signal names it, before any look-up. */
	readonly target: TargetResource;
	/** The pod that was seen, when the signal names one. */
	readonly subject?: TargetResource;
	readonly lookUp: LookUp;
	/** Of an alert; Events have no end. */
	readonly alert?: AlertOccurrence;
	/** The cluster that the signal names, where that is part of its identity. */
	readonly cluster?: string;
	/** Why this target and this identity, a sentence for each step. */
	readonly reasons: readonly string[];
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
	| (ResolvedResult & {
			/** By the API server, to each call about it. Absent when all was known without a call. */
			readonly answered?: true;
	  })
	| Deferred
	| Rejected;
type ResolvedResult =
	/** `request` is absent when nothing active stands for the signal. */
	| { readonly outcome: 'resolved'; readonly request?: RequestRef }
	/** Its end is recorded, and so many other alerts of the same request fire. */
	| { readonly outcome: 'others-fire'; readonly request: RequestRef; readonly firing: number }
	/** The request has more alerts than it can follow. */
	| { readonly outcome: 'not-followed'; readonly request: RequestRef }
	/** The problem began again after it ended: the report is old, and nothing is marked. */
	| { readonly outcome: 'outdated'; readonly request: RequestRef; readonly firingAgainSince: string };

export type IngestOptions = {
	readonly abort: AbortSignal;
	/** When the caller gives up, on the monotonic clock: what cannot be done by then is deferred at once. */
	readonly deadlineAt?: number;
};

/** What would become of a signal. */
export type ExplainResult =
	| {
			readonly outcome: 'explained';
			readonly target: TargetResource;
			/** As in `spec.targetSource`. */
			readonly targetSource: string;
			readonly lookUpReasons: readonly string[];
			/** That it would make, or be counted on, or end. */
			readonly request?: RequestRef;
			readonly requestReason: string;
	  }
	| Deferred
	| Rejected;
export type ExplainSignal = (
	signal: Signal,
	action: 'ingest' | 'resolve',
	options: IngestOptions,
) => Promise<ExplainResult>;

/** The use cases, as the HTTP side sees them. An abort rejects with its reason, at once. */
export type SignalIngest = {
	ingest(signal: Signal, options: IngestOptions): Promise<IngestResult>;
	resolve(signal: Signal, options: IngestOptions): Promise<ResolveResult>;
};
