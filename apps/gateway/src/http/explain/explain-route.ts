// POST /explain: which target, fingerprint and request the signals of a body would have, and why. For people: it takes the
// same bodies and asks for the same rights as the routes that receive signals, and stores nothing. It shows owners of all
// namespaces, so that it is off unless the configuration says otherwise.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { AlertmanagerWebhookSchema } from '../../signal/alertmanager-webhook.ts';
import { KubernetesEventSchema } from '../../signal/kubernetes-event.ts';
import type { ParsedSignal, Reception } from '../../signal/parsed-signal.ts';
import type { ExplainSignal, IngestOptions } from '../../signal/signal.ts';
import type { ReadBody } from '../body/read-body.ts';
import { isWebhook, readEvent, readSignals } from '../body/read-signals.ts';
import { sendProblem } from '../exchange.ts';
import { PROBLEM_RESPONSES } from '../openapi.ts';
import { HttpProblem } from '../problem.ts';

export const EXPLAIN_PATH = '/explain';
/** A person reads the answer. */
const MAX_SIGNALS = 100;
/** Questions at once. More do not wait: they would wait in the places of signals. */
const EXPLAIN_PLACES = 2;
const RETRY_AFTER_MS = 1000;

const Target = Type.Object({
	kind: Type.String(),
	name: Type.String(),
	namespace: Type.Optional(Type.String()),
	apiVersion: Type.Optional(Type.String()),
});
export const ExplanationSchema = Type.Object(
	{
		action: Type.Unsafe<ParsedSignal['action']>({ type: 'string', enum: ['ingest', 'resolve', 'ignore', 'reject'] }),
		message: Type.Optional(Type.String({ description: 'Why it is ignored or rejected.' })),
		fingerprint: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
		named: Type.Optional({ ...Target, description: 'The resource, as the signal names it.' }),
		target: Type.Optional({ ...Target, description: 'The resource to repair, after the look-up.' }),
		targetSource: Type.Optional(Type.String({ description: 'As in spec.targetSource.' })),
		subject: Type.Optional({ ...Target, description: 'The pod that was seen.' }),
		alertId: Type.Optional(Type.String()),
		remediationRequestName: Type.Optional(Type.String()),
		remediationRequestNamespace: Type.Optional(Type.String()),
		reasons: Type.Array(Type.String(), { description: 'One for each step, in their order.' }),
	},
	{ title: 'Explanation' },
);
export type Explanation = Type.Static<typeof ExplanationSchema>;
const ExplanationsSchema = Type.Object(
	{ explanations: Type.Array(ExplanationSchema, { description: 'One for each signal, in their order.' }) },
	{ title: 'Explanations' },
);

export type ExplainRouteOptions = {
	readonly explain: ExplainSignal;
	readonly reception: () => Reception;
	exchangeOf(request: FastifyRequest): IngestOptions;
};

export function explainRoute(server: FastifyInstance, options: ExplainRouteOptions): void {
	const body = {
		anyOf: [AlertmanagerWebhookSchema, KubernetesEventSchema],
		description: 'What would be sent to one of the routes that receive signals.',
		examples: [...examplesOf(AlertmanagerWebhookSchema), ...examplesOf(KubernetesEventSchema)],
	};
	let underWay = 0;
	server.post(
		EXPLAIN_PATH,
		{
			config: { body },
			schema: {
				summary: 'Explains what would become of a body; nothing is stored.',
				description: `Of at most ${MAX_SIGNALS} signals: the target with how it was found, the fingerprint, and the RemediationRequest that each would make or be counted on.`,
				response: { 200: { ...ExplanationsSchema, description: 'Explained.' }, ...PROBLEM_RESPONSES },
			},
		},
		async (request, reply) => {
			if (underWay >= EXPLAIN_PLACES)
				return sendProblem(reply, 'OVERLOADED', 'other explanations are under way', RETRY_AFTER_MS);
			underWay++;
			try {
				return await answer(request, reply, options);
			} finally {
				underWay--;
			}
		},
	);
}

async function answer(request: FastifyRequest, reply: FastifyReply, options: ExplainRouteOptions): Promise<unknown> {
	const signals = signalsOf(request, options.reception());
	const exchange = options.exchangeOf(request);
	const explanations: Explanation[] = [];
	for (const parsed of signals) {
		const explained = await explainOne(parsed, options.explain, exchange);
		if ('retryAfterMs' in explained)
			return sendProblem(reply, 'API_UNAVAILABLE', 'the look-up of a target failed', explained.retryAfterMs);
		explanations.push(explained);
	}
	return reply.send({ explanations });
}

function signalsOf(request: FastifyRequest, reception: Reception): ParsedSignal[] {
	const { bytes } = (request.body ?? { bytes: new Uint8Array() }) as Pick<ReadBody, 'bytes'>;
	if (!isWebhook(bytes)) return [readEvent(request, reception)];
	const signals = readSignals(request, reception);
	if (signals.count > MAX_SIGNALS)
		throw HttpProblem.because('REQUEST_TOO_LARGE', `at most ${MAX_SIGNALS} signals are explained at once`);
	return Array.from({ length: signals.count }, (_, index) => signals.read(index));
}

type Unexplained = { readonly retryAfterMs: number };

async function explainOne(
	parsed: ParsedSignal,
	explain: ExplainSignal,
	exchange: IngestOptions,
): Promise<Explanation | Unexplained> {
	if (!('signal' in parsed)) return { action: parsed.action, message: parsed.message, reasons: [] };
	const { action, signal } = parsed;
	const { fingerprint, subject, alert } = signal;
	const result = await explain(signal, action, exchange);
	if (result.outcome === 'deferred') return { retryAfterMs: result.retryAfterMs };
	if (result.outcome === 'rejected')
		return { action, fingerprint, message: result.message, reasons: [...signal.reasons] };
	const { target, targetSource, request } = result;
	return {
		action,
		fingerprint,
		named: { ...signal.target },
		target: { ...target },
		targetSource,
		...(subject === undefined ? {} : { subject: { ...subject } }),
		...(alert === undefined ? {} : { alertId: alert.id }),
		...(request === undefined
			? {}
			: { remediationRequestName: request.name, remediationRequestNamespace: request.namespace }),
		reasons: [...signal.reasons, ...result.lookUpReasons, result.requestReason],
	};
}

function examplesOf(schema: object): unknown[] {
	return (schema as { examples?: unknown[] }).examples ?? [];
}
