// The two routes that receive signals. Before a body is read: breaker, authentication, admission. After it: parsed into
// signals, handled, answered.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../guard/admission.ts';
import type { Authenticator } from '../guard/auth.ts';
import type { BodyBudget } from '../guard/body-budget.ts';
import type { Breaker } from '../guard/breaker.ts';
import { retryAfterMs } from '../guard/retry-after.ts';
import { AlertmanagerWebhookSchema } from '../signal/alertmanager-webhook.ts';
import { followClusters } from '../signal/cluster-names.ts';
import { KubernetesEventSchema } from '../signal/kubernetes-event.ts';
import type { Reception } from '../signal/parsed-signal.ts';
import type { ExplainSignal, SignalIngest } from '../signal/signal.ts';
import { answerBatch, answerOne, BatchAnswerSchema, type SignalAnswer } from './batch-answer.ts';
import { type ReadBody, readBody } from './body/read-body.ts';
import { readEvent, readSignals } from './body/read-signals.ts';
import { type BatchRecord, UnacknowledgedBatches } from './body/unacknowledged-batches.ts';
import { type Exchange, sendProblem } from './exchange.ts';
import { explainRoute } from './explain/explain-route.ts';
import { handleSignals, type SignalSource } from './handle-signals.ts';
import type { HttpObserver } from './http-observer.ts';
import { PROBLEM_RESPONSES } from './openapi.ts';
import { HttpProblem } from './problem.ts';
import { type HandledSignal, SignalResultSchema } from './signal-result.ts';

export type SignalRoutesOptions = {
	readonly ingest: SignalIngest;
	readonly breaker: Pick<Breaker, 'rejection'>;
	readonly admission: Admission;
	readonly bodyBudget: BodyBudget;
	/** Absent: every client may send. */
	readonly authenticator: Authenticator | undefined;
	readonly observer: HttpObserver;
	readonly resolvedAlerts: Reception['resolvedAlerts'];
	readonly storePayload: boolean;
	readonly rules: Reception['rules'];
	/** Absent: POST /explain is not served. */
	readonly explain?: ExplainSignal | undefined;
	/** When a signal is received, on the API server's clock. */
	readonly wallTime: () => Date;
	readonly maxBodyBytes: number;
	/** How long the work takes that waits now. */
	readonly backlogMs: () => number;
	/** From 0 up to 1, as Math.random gives it. */
	readonly random?: () => number;
	exchangeOf(request: FastifyRequest): Exchange;
};

/** Of one batch: it leaves half of the places to others. */
const PARALLEL_SIGNALS = 16;

export async function signalRoutes(server: FastifyInstance, options: SignalRoutesOptions): Promise<void> {
	const { observer } = options;
	const batches = new UnacknowledgedBatches(() => performance.now());
	const onCluster = followClusters(options.rules.clusterName !== undefined, observer);
	const overloaded = () => {
		const { reason, retryAfterMs: waitMs } = options.admission.reject('bytes');
		return HttpProblem.because('OVERLOADED', reason, waitMs);
	};
	server.addHook('onRequest', async (request, reply) => admit(request, reply, options));
	server.addContentTypeParser('application/json', async (request: FastifyRequest) => {
		rejectEncodings(request);
		const { abort, onEnd } = options.exchangeOf(request);
		const charge = options.bodyBudget.open();
		onEnd(() => charge.release());
		const bytes = await readBody(request.raw, { maxBytes: options.maxBodyBytes, charge, abort, overloaded });
		return { bytes, charge } satisfies ReadBody;
	});

	server.post(
		'/api/v1/signals/prometheus',
		{
			config: { body: AlertmanagerWebhookSchema },
			schema: {
				summary: 'Receives the webhook of Alertmanager.',
				description:
					'Each alert is handled on its own. After 503 or 504 send the whole batch again: the same replica does not count again what it has stored of it, another one counts it as duplicates.',
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
			const signals = readSignals(request, reception(options));
			const { charge } = request.body as ReadBody; // it has one, or there would be no signals
			if (!charge.set(signals.weight)) throw overloaded();
			if (signals.leftOut > 0) observer.leftOut(request.id, signals.leftOut);
			if (signals.count === 1)
				return send(reply, answerBatch(await handle(request, signals, 'alert', { ...options, onCluster })), options);
			const batch = signals.batch();
			const record = batches.takeOut(batch);
			options.exchangeOf(request).onEnd((answered) => {
				if (!answered || reply.statusCode >= 300) batches.putBack(batch, record);
			});
			return send(
				reply,
				answerBatch(await handle(request, signals, 'alert', { ...options, onCluster }, record)),
				options,
			);
		},
	);

	server.post(
		'/api/v1/signals/kubernetes-event',
		{
			config: { body: KubernetesEventSchema },
			schema: {
				summary: 'Receives one Kubernetes Event.',
				description: 'An Event of type Warning makes a signal; others are ignored.',
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
			const signal = readEvent(request, reception(options));
			const [handled] = await handle(request, { count: 1, read: () => signal }, 'event', {
				...options,
				onCluster,
			});
			return send(reply, answerOne(handled!), options);
		},
	);

	const { explain } = options;
	if (explain !== undefined)
		explainRoute(server, { explain, reception: () => reception(options), exchangeOf: options.exchangeOf });
}

async function admit(request: FastifyRequest, reply: FastifyReply, options: SignalRoutesOptions): Promise<unknown> {
	const { abort, onEnd } = options.exchangeOf(request);
	const unavailable = options.breaker.rejection();
	if (unavailable !== undefined)
		return sendProblem(reply, 'API_UNAVAILABLE', 'the Kubernetes API is not available', unavailable.retryAfterMs);

	// First: a stranger that waits for its review, or for its rejection, must not take a place.
	const decision = await options.authenticator?.check(request.headers.authorization, abort);
	if (decision?.outcome === 'forbidden')
		return sendProblem(reply, 'REQUEST_FORBIDDEN', 'the user of the token may not create remediationrequests here');
	if (decision?.outcome === 'unavailable')
		return sendProblem(reply, 'API_UNAVAILABLE', 'the token could not be reviewed', decision.retryAfterMs);
	if (decision?.outcome === 'unauthenticated') {
		reply.header('www-authenticate', 'Bearer');
		return sendProblem(reply, 'REQUEST_UNAUTHENTICATED', 'no bearer token, or one that the API server does not know');
	}

	const slot = options.admission.admit();
	if (!slot.admitted) return sendProblem(reply, 'OVERLOADED', slot.reason, slot.retryAfterMs);
	onEnd(() => slot.release());
	return undefined;
}

type HandleOptions = SignalRoutesOptions & { readonly onCluster: (cluster: string) => void };

async function handle(
	request: FastifyRequest,
	signals: SignalSource,
	type: 'alert' | 'event',
	{ ingest, observer, exchangeOf, onCluster, random = Math.random }: HandleOptions,
	record?: BatchRecord,
): Promise<HandledSignal[]> {
	const { abort, deadlineAt } = exchangeOf(request);
	const handled = await handleSignals(signals, {
		ingest,
		parallel: PARALLEL_SIGNALS,
		abort,
		deadlineAt,
		random,
		...(record === undefined ? {} : { record }),
		onFault: (error) => observer.failed(request.id, error),
		onDeferred: (reason, detail) => observer.deferred(request.id, reason, detail),
		onRejected: (detail) => observer.rejected(request.id, detail),
		onNotOurs: () => observer.notOurs(),
		onCluster,
	});
	for (const { result } of handled) observer.signal(result.status, type);
	return handled;
}

function send(reply: FastifyReply, answer: SignalAnswer, { backlogMs, random }: SignalRoutesOptions): FastifyReply {
	if ('code' in answer) return reply.code(answer.code).send(answer.body);
	const { problem, detail, results } = answer;
	const waitMs = answer.retryAfterMs && retryAfterMs(Math.max(answer.retryAfterMs, backlogMs()), random);
	return sendProblem(reply, problem, detail, waitMs, results === undefined ? {} : { results });
}

function reception({ resolvedAlerts, storePayload, rules, wallTime }: SignalRoutesOptions): Reception {
	return { receivedTime: wallTime(), resolvedAlerts, storePayload, rules };
}

function rejectEncodings({ headers }: FastifyRequest): void {
	const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
	if (!['utf-8', 'utf8'].includes(charset.toLowerCase()))
		throw HttpProblem.because('REQUEST_MEDIA_TYPE', 'only UTF-8 is accepted');
	if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
		throw HttpProblem.because('REQUEST_MEDIA_TYPE', 'no content encoding is accepted');
}
