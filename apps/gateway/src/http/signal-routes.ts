// The two routes that take signals. Before a body is read: is the API server there, is there room, may the sender.
// After it: validated by the schema, read into signals, handled, answered.
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyTypeProvider } from 'fastify';
import type * as Type from 'typebox';
import type { Admission } from '../guard/admission.ts';
import type { Authenticator } from '../guard/auth.ts';
import type { Breaker } from '../guard/breaker.ts';
import { AlertmanagerWebhookSchema, readAlertmanagerWebhook } from '../signal/alertmanager-webhook.ts';
import { KubernetesEventSchema, readKubernetesEvent } from '../signal/kubernetes-event.ts';
import type { Reception, SignalReading } from '../signal/parsed-signal.ts';
import type { SignalIngest } from '../signal/signal.ts';
import { answerBatch, answerOne, BatchAnswerSchema, type SignalAnswer } from './batch-answer.ts';
import { type RequestContext, sendProblem } from './exchange.ts';
import { handleReadings } from './handle-signals.ts';
import type { HttpObserver } from './http-observer.ts';
import { PROBLEM_RESPONSES } from './openapi.ts';
import { SignalResultSchema } from './signal-result.ts';

export type SignalRoutesOptions = {
	readonly ingest: SignalIngest;
	readonly breaker: Pick<Breaker, 'refusal'>;
	readonly admission: Admission;
	/** Absent: whoever can reach us may send. */
	readonly authenticator: Authenticator | undefined;
	readonly observer: HttpObserver;
	readonly resolvedAlerts: Reception['resolvedAlerts'];
	/** From the first byte to the answer. */
	readonly deadlineMs: number;
	contextOf(request: FastifyRequest): RequestContext;
};

/** Of one batch; the requests in work are limited apart. */
const PARALLEL_SIGNALS = 16;

interface SchemaTypes extends FastifyTypeProvider {
	validator: this['schema'] extends Type.TSchema ? Type.Static<this['schema']> : unknown;
}

export async function signalRoutes(instance: FastifyInstance, options: SignalRoutesOptions): Promise<void> {
	const server = instance.withTypeProvider<SchemaTypes>();
	server.addHook('onRequest', async (request, reply) => letIn(request, reply, options));

	server.post(
		'/api/v1/signals/prometheus',
		{
			schema: {
				summary: 'Takes what Alertmanager sends to a webhook receiver.',
				description:
					'Each alert is handled on its own. 503 and 504 mean: send the whole batch again; what was stored is then a duplicate.',
				body: AlertmanagerWebhookSchema,
				response: {
					200: { ...BatchAnswerSchema, description: 'All resolved, ignored or out of scope.' },
					201: { ...BatchAnswerSchema, description: 'All taken; at least one RemediationRequest was created.' },
					202: { ...BatchAnswerSchema, description: 'All taken; all were known already.' },
					207: { ...BatchAnswerSchema, description: 'Some were rejected for good: sending them again cannot help.' },
					...PROBLEM_RESPONSES,
				},
			},
		},
		async (request, reply) => {
			const { truncatedAlerts = 0 } = request.body;
			if (truncatedAlerts > 0) options.observer.leftOut(request.id, truncatedAlerts);
			const readings = readAlertmanagerWebhook(request.body, reception(options));
			return handle(request, reply, readings, 'alert', options);
		},
	);

	server.post(
		'/api/v1/signals/kubernetes-event',
		{
			schema: {
				summary: 'Takes one Kubernetes Event.',
				description: 'An Event of type Warning makes a signal; others are ignored.',
				body: KubernetesEventSchema,
				response: {
					200: { ...SignalResultSchema, description: 'Ignored: not a Warning.' },
					201: { ...SignalResultSchema, description: 'A RemediationRequest was created.' },
					202: { ...SignalResultSchema, description: 'Known already, and counted.' },
					...PROBLEM_RESPONSES,
				},
			},
		},
		async (request, reply) => {
			const reading = readKubernetesEvent(request.body, reception(options));
			return handle(request, reply, [reading], 'event', options);
		},
	);
}

async function letIn(request: FastifyRequest, reply: FastifyReply, options: SignalRoutesOptions): Promise<unknown> {
	const { client } = options.contextOf(request);
	const unavailable = options.breaker.refusal();
	if (unavailable !== undefined)
		return sendProblem(reply, 'API_UNAVAILABLE', 'the Kubernetes API does not answer', unavailable.retryAfterMs);

	const admission = await options.admission.admit(client);
	if (!admission.admitted) return sendProblem(reply, 'OVERLOADED', admission.reason, admission.retryAfterMs);
	if (client.aborted) admission.release();
	client.addEventListener('abort', () => admission.release(), { once: true });

	const decision = await options.authenticator?.check(request.headers.authorization, client);
	if (decision === undefined || decision.outcome === 'allowed') return undefined;
	if (decision.outcome === 'forbidden')
		return sendProblem(reply, 'REQUEST_FORBIDDEN', 'the user of the token may not create remediationrequests here');
	if (decision.outcome === 'unavailable')
		return sendProblem(reply, 'API_UNAVAILABLE', 'the token could not be reviewed', decision.retryAfterMs);
	reply.header('www-authenticate', 'Bearer');
	return sendProblem(reply, 'REQUEST_UNAUTHENTICATED', 'no bearer token, or one that is not known');
}

async function handle(
	request: FastifyRequest,
	reply: FastifyReply,
	readings: readonly SignalReading[],
	type: 'alert' | 'event',
	options: SignalRoutesOptions,
): Promise<FastifyReply> {
	const { client, startedAt } = options.contextOf(request);
	const leftMs = Math.max(0, Math.ceil(options.deadlineMs - (performance.now() - startedAt)));
	const deadline = new AbortController();
	const timer = setTimeout(() => deadline.abort(), leftMs);
	const handled = await handleReadings(readings, {
		ingest: options.ingest,
		parallel: PARALLEL_SIGNALS,
		client,
		deadline: deadline.signal,
		onFault: (error) => options.observer.failed(request.id, error),
		onNotTaken: (reason, detail) => options.observer.notTaken(request.id, reason, detail),
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
