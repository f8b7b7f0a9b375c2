// Events of the HTTP side, for the log and the metrics.
import type { AdmissionObserver } from '../guard/admission.ts';
import type { AuthObserver } from '../guard/auth.ts';
import type { BodyBudgetObserver } from '../guard/body-budget.ts';
import type { BreakerObserver } from '../guard/breaker.ts';
import type { Log } from '../process/log.ts';
import type { ClusterObserver } from '../signal/cluster-names.ts';
import type { DeferralReason } from '../signal/signal.ts';
import type { SignalStatus } from './signal-result.ts';

/** A closed set: every other address is `other`. */
export const HTTP_ROUTES = [
	'/api/v1/signals/prometheus',
	'/api/v1/signals/kubernetes-event',
	'/explain',
	'/openapi.json',
	'/docs',
	'other',
] as const;
export type HttpRoute = (typeof HTTP_ROUTES)[number];

export type AnswerEvent = {
	readonly requestId: string;
	readonly method: string;
	readonly route: HttpRoute;
	/** `gone`: the client left before the answer. */
	readonly status: number | 'gone';
	readonly seconds: number;
	/** The code of docs/errors.md, when the answer was a problem. */
	readonly problem?: string;
};
export type HttpObserver = AdmissionObserver &
	AuthObserver &
	BodyBudgetObserver &
	BreakerObserver &
	ClusterObserver & {
		answered(event: AnswerEvent): void;
		/** Once for each signal in an answer. */
		signal(status: SignalStatus, type: 'alert' | 'event'): void;
		/** The detail can quote the API server, and so the signal. */
		deferred(requestId: string, reason: DeferralReason, detail: string): void;
		/** By the API server, for good. The detail can quote it, and so the signal. */
		rejected(requestId: string, detail: string): void;
		/** Alertmanager's max_alerts left out this many: they will never be sent. */
		leftOut(requestId: string, alerts: number): void;
		/** A fault of ours while a request was handled. */
		failed(requestId: string, error: unknown): void;
		/** Bytes that never became a request: headers too large, too slow, not HTTP. */
		clientError(status: 400 | 408 | 431): void;
	};

/** One line for each answer and each change; never a token and never a body. */
export function logHttp(log: Log): HttpObserver {
	return {
		answered: (event) => log[event.status === 'gone' || event.status < 500 ? 'info' : 'warn'](event, 'answered'),
		deferred: (requestId, reason, detail) =>
			log.warn({ requestId, reason, detail: withoutQuotes(detail) }, 'signal deferred'),
		rejected: (requestId, detail) => log.warn({ requestId, detail: withoutQuotes(detail) }, 'signal rejected'),
		leftOut: (requestId, alerts) => log.warn({ requestId, alerts }, 'Alertmanager left alerts out'),
		failed: (requestId, err) => log.error({ requestId, err }, 'request failed'),
		clientError: (status) => log.info({ status }, 'connection rejected: no valid HTTP request'),
		reviewFailed: (err) => log.warn({ err }, 'token review failed'),
		breakerChanged: (state) => log[state === 'closed' ? 'info' : 'warn']({ state }, 'circuit breaker changed'),
		decided: (decision, from) => {
			if (decision !== 'allowed') log.debug({ decision, from }, 'sender rejected');
		},
		overloaded: (reason) => log.debug({ reason }, 'overloaded'),
		load: () => undefined,
		bytesInWork: () => undefined,
		signal: () => undefined,
		notOurs: () => undefined,
		secondCluster: (cluster, isNew) => {
			if (isNew) log.warn({ cluster }, 'signals name more than one cluster: set CLUSTER_NAME');
		},
	};
}

/**
 * The API server quotes the values that it refuses: they are the sender's, and stay out of the log. The rule that a Role
 * lacks is ours, and stands at the end.
 */
export function withoutQuotes(text: string): string {
	const rule = RULE.exec(text)?.[0] ?? '';
	const rest = text.slice(0, text.length - rule.length);
	return rest.replace(/"(?:[^"\\]|\\.)*("|$)/gs, '"…"').slice(0, MAX_DETAIL_LENGTH) + rule;
}

const RULE = /\{"apiGroups":\["[a-z0-9.]*"\],"resources":\["[a-z/]+"\],"verbs":\["[a-z]+"\]\}$/;

const MAX_DETAIL_LENGTH = 500;
