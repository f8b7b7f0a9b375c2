// What the HTTP side tells about itself, to whoever logs and counts.
import type { AdmissionObserver } from '../guard/admission.ts';
import type { AuthObserver } from '../guard/auth.ts';
import type { BreakerObserver } from '../guard/breaker.ts';
import type { NotTakenReason } from './handle-signals.ts';
import type { SignalStatus } from './signal-result.ts';

/** Closed: what is not one of ours is `other`. */
export const HTTP_ROUTES = [
	'/api/v1/signals/prometheus',
	'/api/v1/signals/kubernetes-event',
	'/openapi.json',
	'/docs',
	'other',
] as const;
export type HttpRoute = (typeof HTTP_ROUTES)[number];

export type Answered = {
	readonly requestId: string;
	readonly method: string;
	readonly route: HttpRoute;
	/** `gone`: the client left before the answer. */
	readonly status: number | 'gone';
	readonly seconds: number;
	/** The code of docs/errors.md, when it was one. */
	readonly problem?: string;
};
export type HttpObserver = AdmissionObserver &
	AuthObserver &
	BreakerObserver & {
		answered(event: Answered): void;
		/** Of each signal in an answer. */
		signal(status: SignalStatus, type: 'alert' | 'event'): void;
		/** A signal that was not taken, and why; the detail can quote the API server, and so the signal. */
		notTaken(requestId: string, reason: NotTakenReason, detail: string): void;
		/** Alertmanager's max_alerts kept so many from us: nobody will ever send them. */
		leftOut(requestId: string, alerts: number): void;
		/** A fault of ours while a request was handled. */
		failed(requestId: string, error: unknown): void;
		/** What never became a request: headers too large, too slow, not HTTP. */
		clientError(status: 400 | 408 | 431): void;
	};

/** What a logger needs to be; pino is. */
export type LogPort = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/** One line for each answer and each change; who was refused and why, never a token and never a body. */
export function logHttp(log: LogPort): HttpObserver {
	return {
		answered: (event) => log[event.status === 'gone' || event.status < 500 ? 'info' : 'warn'](event, 'answered'),
		notTaken: (requestId, reason, detail) =>
			log.warn({ requestId, reason, detail: withoutQuotes(detail) }, 'signal not taken'),
		leftOut: (requestId, alerts) => log.warn({ requestId, alerts }, 'Alertmanager left alerts out'),
		failed: (requestId, err) => log.error({ requestId, err }, 'request failed'),
		clientError: (status) => log.info({ status }, 'refused what is not a request'),
		reviewFailed: (err) => log.warn({ err }, 'token could not be reviewed'),
		breakerChanged: (state) => log[state === 'closed' ? 'info' : 'warn']({ state }, 'circuit breaker changed'),
		decided: (decision, from) => {
			if (decision !== 'allowed') log.debug({ decision, from }, 'sender was not let in');
		},
		refused: (reason) => log.debug({ reason }, 'overloaded'),
		load: () => undefined,
		signal: () => undefined,
	};
}

/** The API server puts what it refuses into quotes: that is the sender's, and stays out of the log. */
export function withoutQuotes(text: string): string {
	return text.replace(/"(?:[^"\\]|\\.)*("|$)/gs, '"…"').slice(0, LONGEST_DETAIL);
}

const LONGEST_DETAIL = 500;
