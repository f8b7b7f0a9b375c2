// The outcome of one signal, as the caller reads it.
import * as Type from 'typebox';
import type { DeferralReason, IngestResult, ResolveResult } from '../signal/signal.ts';

export const SIGNAL_STATUSES = ['created', 'duplicate', 'resolved', 'ignored', 'deferred', 'rejected'] as const;
export type SignalStatus = (typeof SIGNAL_STATUSES)[number];

export const SignalResultSchema = Type.Object(
	{
		status: Type.Unsafe<SignalStatus>({
			type: 'string',
			enum: SIGNAL_STATUSES,
			description: 'deferred: not stored, send it again. rejected: sending it again cannot help.',
		}),
		fingerprint: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
		duplicate: Type.Boolean(),
		remediationRequestName: Type.Optional(Type.String()),
		remediationRequestNamespace: Type.Optional(Type.String()),
		occurrenceCount: Type.Optional(Type.Integer({ minimum: 1 })),
		message: Type.String(),
	},
	{ title: 'SignalResult' },
);
export type SignalResult = Type.Static<typeof SignalResultSchema>;

export type Deferral = { readonly because: DeferralReason | 'deadline' | 'fault'; readonly retryAfterMs: number };
/** A result, and the part of it that decides on the answer as a whole. */
export type HandledSignal = { readonly result: SignalResult; readonly deferral?: Deferral };

/** Instead of the outcome's own message, which shows internals: rights, addresses, policies of the cluster. */
const DEFERRAL_MESSAGES: Readonly<Record<Deferral['because'], string>> = {
	'lock-timeout': 'other replicas were busy with the same incident',
	contention: 'the RemediationRequest of the same incident changed too often meanwhile',
	starting: 'this replica has not listed all RemediationRequests yet',
	'api-unavailable': 'the Kubernetes API is not available',
	'api-slow': 'the Kubernetes API did not answer in time',
	'api-forbidden': "the Kubernetes API does not grant the gateway a permission; the gateway's log names it",
	'api-throttled': 'the Kubernetes API is throttling the gateway',
	'shutting-down': 'this replica is shutting down',
	overloaded: 'this replica has more work than it can do in time',
	deadline: 'the request deadline passed before this signal was handled',
	fault: "the gateway failed; the gateway's log has the error",
};

export function handledFrom(outcome: IngestResult | ResolveResult, fingerprint: string): HandledSignal {
	if (outcome.outcome === 'deferred')
		return deferred(fingerprint, { because: outcome.reason, retryAfterMs: outcome.retryAfterMs });
	if (outcome.outcome === 'rejected')
		return rejected("the Kubernetes API rejected it for good; the gateway's log says why", fingerprint);
	return { result: resultOf(outcome, fingerprint) };
}

function resultOf(
	outcome: Exclude<IngestResult | ResolveResult, { outcome: 'deferred' | 'rejected' }>,
	fingerprint: string,
): SignalResult {
	if (outcome.outcome === 'outdated') {
		const { request, firingAgainSince } = outcome;
		const message = `resolved, but ${request.name} is about the same problem again since ${firingAgainSince}`;
		return { status: 'ignored', fingerprint, duplicate: false, ...named(request), message };
	}
	if (outcome.outcome === 'not-followed') {
		const { request } = outcome;
		const message = `resolved, but ${request.name} has more alerts than it can follow; its deadline ends it`;
		return { status: 'ignored', fingerprint, duplicate: false, ...named(request), message };
	}
	if (outcome.outcome === 'others-fire') {
		const { request, firing } = outcome;
		const others = firing === 1 ? 'another alert of it fires' : `${firing} other alerts of it fire`;
		const message = `the end was recorded on ${request.name}, which is not resolved: ${others}`;
		return { status: 'resolved', fingerprint, duplicate: false, ...named(request), message };
	}
	if (outcome.outcome === 'resolved') {
		const { request } = outcome;
		return request === undefined
			? { status: 'ignored', fingerprint, duplicate: false, message: 'resolved; no RemediationRequest was active' }
			: {
					status: 'resolved',
					fingerprint,
					duplicate: false,
					...named(request),
					message: `${request.name} was marked as resolved`,
				};
	}
	const { request, occurrenceCount } = outcome;
	const duplicate = outcome.outcome === 'duplicate';
	const message = duplicate ? `counted on ${request.name}` : `${request.name} was created`;
	return { status: outcome.outcome, fingerprint, duplicate, ...named(request), occurrenceCount, message };
}

export function deferred(fingerprint: string | undefined, deferral: Deferral): HandledSignal {
	const message = DEFERRAL_MESSAGES[deferral.because];
	return { result: { status: 'deferred', ...identified(fingerprint), duplicate: false, message }, deferral };
}

export function rejected(message: string, fingerprint?: string): HandledSignal {
	return { result: { status: 'rejected', ...identified(fingerprint), duplicate: false, message } };
}

/** A signal that was not parsed has none. */
function identified(fingerprint: string | undefined): { fingerprint?: string } {
	return fingerprint === undefined ? {} : { fingerprint };
}

function named(request: { name: string; namespace: string }) {
	return { remediationRequestName: request.name, remediationRequestNamespace: request.namespace };
}
