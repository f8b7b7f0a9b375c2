// What became of one signal, as the caller reads it.
import * as Type from 'typebox';
import type { IngestResult, LaterReason, ResolveResult } from '../signal/signal.ts';

export const SIGNAL_STATUSES = ['created', 'duplicate', 'resolved', 'ignored', 'retry', 'rejected'] as const;
export type SignalStatus = (typeof SIGNAL_STATUSES)[number];

export const SignalResultSchema = Type.Object(
	{
		status: Type.Unsafe<SignalStatus>({
			type: 'string',
			enum: SIGNAL_STATUSES,
			description: 'retry: it was not taken, send it again. rejected: sending it again cannot help.',
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

/** A result, and what of it is for the answer as a whole. */
export type HandledSignal = {
	readonly result: SignalResult;
	readonly retry?: { readonly because: 'later' | 'deadline'; readonly afterMs: number };
};

/** Instead of the outcome's own message, which names our insides: rights, addresses, policies of the cluster. */
const LATER_MESSAGES: Readonly<Record<LaterReason, string>> = {
	'lock-timeout': 'other replicas were busy with the same incident',
	contention: 'the request of the same incident changed too often meanwhile',
	starting: 'this replica does not know all requests yet',
	'api-unavailable': 'the Kubernetes API did not take it',
	'api-forbidden': 'the gateway lacks a right; its log says which',
	overloaded: 'the gateway has too much to do',
	'shutting-down': 'this replica is shutting down',
};

export function handledFrom(outcome: IngestResult | ResolveResult, fingerprint: string): HandledSignal {
	if (outcome.outcome === 'later') {
		const retry = { because: 'later', afterMs: outcome.retryAfterMs } as const;
		return retried(fingerprint, LATER_MESSAGES[outcome.reason], retry);
	}
	if (outcome.outcome === 'refused')
		return rejected("the Kubernetes API refuses it for good; the gateway's log says why", fingerprint);
	return { result: resultOf(outcome, fingerprint) };
}

function resultOf(
	outcome: Extract<IngestResult | ResolveResult, { outcome: 'created' | 'duplicate' | 'resolved' }>,
	fingerprint: string,
): SignalResult {
	if (outcome.outcome === 'resolved') {
		const { request } = outcome;
		return request === undefined
			? { status: 'ignored', fingerprint, duplicate: false, message: 'resolved, and nothing was active' }
			: { status: 'resolved', fingerprint, duplicate: false, ...named(request), message: `${request.name} was told` };
	}
	const { request, occurrenceCount } = outcome;
	const duplicate = outcome.outcome === 'duplicate';
	const message = duplicate ? `counted on ${request.name}` : `${request.name} was created`;
	return { status: outcome.outcome, fingerprint, duplicate, ...named(request), occurrenceCount, message };
}

export function retried(
	fingerprint: string,
	message: string,
	retry: NonNullable<HandledSignal['retry']>,
): HandledSignal {
	return { result: { status: 'retry', fingerprint, duplicate: false, message }, retry };
}

export function rejected(message: string, fingerprint?: string): HandledSignal {
	return {
		result: { status: 'rejected', ...(fingerprint === undefined ? {} : { fingerprint }), duplicate: false, message },
	};
}

function named(request: { name: string; namespace: string }) {
	return { remediationRequestName: request.name, remediationRequestNamespace: request.namespace };
}
