// The two routes that receive signals. Before a body is read: breaker, authentication, admission. After it: validated
// by the schema, parsed into signals, handled, answered.
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyTypeProvider } from 'fastify';
import type * as Type from 'typebox';
import type { Admission } from '../guard/admission.ts';
import type { Authenticator } from '../guard/auth.ts';
import type { Breaker } from '../guard/breaker.ts';
import { AlertmanagerWebhookSchema, parseAlertmanagerWebhook } from '../signal/alertmanager-webhook.ts';
import { KubernetesEventSchema, parseKubernetesEvent } from '../signal/kubernetes-event.ts';
import type { ParsedSignal, Reception } from '../signal/parsed-signal.ts';
import type { SignalIngest } from '../signal/signal.ts';
import { answerBatch, answerOne, BatchAnswerSchema, type SignalAnswer } from './batch-answer.ts';
import { type Exchange, sendProblem } from './exchange.ts';
import { handleSignals } from './handle-signals.ts';
import type { HttpObserver } from './http-observer.ts';
import { PROBLEM_RESPONSES } from './openapi.ts';
import { SignalResultSchema } from './signal-result.ts';

export type SignalRoutesOptions = {
	readonly ingest: SignalIngest;
	readonly breaker: Pick<Breaker, 'rejection'>;
	readonly admission: Admission;
	/** Absent: every client may send. */
	readonly authenticator: Authenticator | undefined;
	readonly observer: HttpObserver;
	readonly resolvedAlerts: Reception['resolvedAlerts'];
	/** From the arrival of the request to its answer. */
	readonly deadlineMs: number;
	exchangeOf(request: FastifyRequest): Exchange;
};

/** Of one batch; the number of requests is limited apart. */
const PARALLEL_SIGNALS = 16;

interface SchemaTypes extends FastifyTypeProvider {
	validator: this['schema'] extends Type.TSchema ? Type.Static<this['schema']> : unknown;
}

export async function signalRoutes(instance: FastifyInstance, options: SignalRoutesOptions): Promise<void> {
	const server = instance.withTypeProvider<SchemaTypes>();
	server.addHook('onRequest', async (request, reply) => admit(request, reply, options));

	server.post(
		'/api/v1/signals/prometheus',
		{
			schema: {
				summary: 'Receives the webhook of Alertmanager.',
				description:
					'Each alert is handled on its own. After 503 or 504 send the whole batch again: signals that were stored are then duplicates.',
				body: AlertmanagerWebhookSchema,
				response: {
					200: { ...BatchAnswerSchema, description: 'All signals were resolved or ignored.' },
					201: {
						...BatchAnswerSchema,
						description: 'All signals were stored; at least one RemediationRequest was created.',
					},
					202: { ...BatchAnswerSchema, description: 'All signals were stored; all are duplicates.' },
					207: { ...BatchAnswerSchema, description: 'Some signals were rejected: sending them again cannot help.' },
					...PROBLEM_RESPONSES,
				},
			},
		},
		async (request, reply) => {
			const { truncatedAlerts = 0 } = request.body;
			if (truncatedAlerts > 0) options.observer.leftOut(request.id, truncatedAlerts);
			const signals = parseAlertmanagerWebhook(request.body, reception(options));
			return handle(request, reply, signals, 'alert', options);
		},
	);

	server.post(
		'/api/v1/signals/kubernetes-event',
		{
			schema: {
				summary: 'Receives one Kubernetes Event.',
				description: 'An Event of type Warning makes a signal; others are ignored.',
				body: KubernetesEventSchema,
				response: {
					200: { ...SignalResultSchema, description: 'Ignored: not a Warning.' },
					201: { ...SignalResultSchema, description: 'A RemediationRequest was created.' },
					202: {
						...SignalResultSchema,
						description: 'A duplicate: counted on the RemediationRequest of its incident.',
					},
					...PROBLEM_RESPONSES,
				},
			},
		},
		async (request, reply) => {
			const signal = parseKubernetesEvent(request.body, reception(options));
			return handle(request, reply, [signal], 'event', options);
		},
	);
}

async function admit(request: FastifyRequest, reply: FastifyReply, options: SignalRoutesOptions): Promise<unknown> {
	const { client } = options.exchangeOf(request);
	const unavailable = options.breaker.rejection();
	if (unavailable !== undefined)
		return sendProblem(reply, 'API_UNAVAILABLE', 'the Kubernetes API is not available', unavailable.retryAfterMs);

	// First: a stranger that waits for its review, or for its rejection, must not take a place.
	const decision = await options.authenticator?.check(request.headers.authorization, client);
	if (decision?.outcome === 'forbidden')
		return sendProblem(reply, 'REQUEST_FORBIDDEN', 'the user of the token may not create remediationrequests here');
	if (decision?.outcome === 'unavailable')
		return sendProblem(reply, 'API_UNAVAILABLE', 'the token could not be reviewed', decision.retryAfterMs);
	if (decision?.outcome === 'unauthenticated') {
		reply.header('www-authenticate', 'Bearer');
		return sendProblem(reply, 'REQUEST_UNAUTHENTICATED', 'no bearer token, or one that the API server does not know');
	}

	const slot = await options.admission.admit(client);
	if (!slot.admitted) return sendProblem(reply, 'OVERLOADED', slot.reason, slot.retryAfterMs);
	if (client.aborted) slot.release();
	client.addEventListener('abort', () => slot.release(), { once: true });
	return undefined;
}

async function handle(
	request: FastifyRequest,
	reply: FastifyReply,
	signals: readonly ParsedSignal[],
	type: 'alert' | 'event',
	options: SignalRoutesOptions,
): Promise<FastifyReply> {
	const { client, startedAt } = options.exchangeOf(request);
	const leftMs = Math.max(0, Math.ceil(options.deadlineMs - (performance.now() - startedAt)));
	const deadline = new AbortController();
	const timer = setTimeout(() => deadline.abort(), leftMs);
	const handled = await handleSignals(signals, {
		ingest: options.ingest,
		parallel: PARALLEL_SIGNALS,
		client,
		deadline: deadline.signal,
		onFault: (error) => options.observer.failed(request.id, error),
		onDeferred: (reason, detail) => options.observer.deferred(request.id, reason, detail),
		onRejected: (detail) => options.observer.rejected(request.id, detail),
	}).finally(() => clearTimeout(timer));
	for (const { result } of handled) options.observer.signal(result.status, type);
	const [first] = handled;
	return send(reply, type === 'event' && first !== undefined ? answerOne(first) : answerBatch(handled));
}

function send(reply: FastifyReply, answer: SignalAnswer): FastifyReply {
	if ('code' in answer) return reply.code(answer.code).send(answer.body);
	const { problem, detail, retryAfterMs, results } = answer;
	return sendProblem(reply, problem, detail, retryAfterMs, results === undefined ? {} : { results });
}

function reception({ resolvedAlerts }: SignalRoutesOptions): Reception {
	return { receivedTime: new Date(), resolvedAlerts };
}
