// From the bytes of a body to its signals. The envelope of a webhook is checked strictly; an alert that is wrong is one
// rejected signal among the others.
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import {
	type Alert,
	AlertSchema,
	parseAlert,
	type WebhookEnvelope,
	WebhookEnvelopeSchema,
} from '../../signal/alertmanager-webhook.ts';
import {
	DELETED_EVENT,
	eventIn,
	type KubernetesEvent,
	KubernetesEventSchema,
	parseKubernetesEvent,
} from '../../signal/kubernetes-event.ts';
import type { ParsedSignal, Reception } from '../../signal/parsed-signal.ts';
import { HttpProblem } from '../problem.ts';
import { parseJsonBody } from './json-body.ts';
import { poisonIn } from './poison.ts';
import type { ReadBody } from './read-body.ts';
import { MAX_PART_BYTES, readWebhook } from './webhook-body.ts';

export type WebhookSignals = {
	readonly count: number;
	/** Bytes of memory until they are answered. */
	readonly weight: number;
	/** Alerts that Alertmanager's max_alerts left out. */
	readonly leftOut: number;
	/** The same when the batch is repeated. */
	batch(): string;
	read(index: number): ParsedSignal;
};

const MAX_DETAIL_LENGTH = 300;

export function readSignals(request: FastifyRequest, reception: Reception): WebhookSignals {
	const bytes = bytesOf(request);
	const body = readWebhook(bytes);
	const problem = schemaProblem(request, WebhookEnvelopeSchema, body.envelope);
	if (problem !== undefined) throw HttpProblem.because('REQUEST_INVALID', `body${problem}`);
	if (body.count === 0) throw HttpProblem.because('REQUEST_INVALID', 'body/alerts must NOT have fewer than 1 items');
	const { groupKey, receiver, externalURL, truncatedAlerts = 0 } = body.envelope as WebhookEnvelope;
	return {
		count: body.count,
		weight: body.weight,
		leftOut: truncatedAlerts,
		batch: () =>
			groupKey ? `${externalURL}\n${receiver}\n${groupKey}` : createHash('sha256').update(bytes).digest('base64'),
		read(index) {
			const alert = readAlert(request, body.alert(index));
			if ('action' in alert) return alert;
			const parsed = parseAlert(alert, receiver, reception);
			return 'signal' in parsed && body.count > 1 ? { ...parsed, identity: identityOf(alert) } : parsed;
		},
	};
}

export function readEvent(request: FastifyRequest, reception: Reception): ParsedSignal {
	const bytes = bytesOf(request);
	if (bytes.length > MAX_PART_BYTES)
		throw HttpProblem.because('REQUEST_TOO_LARGE', `an Event is at most ${MAX_PART_BYTES} bytes long`);
	const body = parseJsonBody(bytes);
	const poison = poisonIn(body);
	if (poison !== undefined) throw HttpProblem.because('REQUEST_INVALID', `the body is not safe: ${poison}`);
	const event = eventIn(body);
	if (event === undefined) return DELETED_EVENT;
	const problem = schemaProblem(request, KubernetesEventSchema, event);
	if (problem !== undefined) throw HttpProblem.because('REQUEST_INVALID', `body${problem}`);
	return parseKubernetesEvent(event as KubernetesEvent, reception);
}

/** Whether the body is meant for the route of Alertmanager; what is wrong with it is found when it is read. */
export function isWebhook(bytes: Uint8Array): boolean {
	const body: unknown = parseJsonBody(bytes);
	return typeof body === 'object' && body !== null && 'alerts' in body;
}

function bytesOf({ body }: FastifyRequest): Uint8Array {
	return (body as ReadBody | undefined)?.bytes ?? new Uint8Array(); // without a body there may be no content type either
}

function readAlert(request: FastifyRequest, alert: unknown): Alert | Extract<ParsedSignal, { action: 'reject' }> {
	const reject = (message: string) => ({ action: 'reject', message: message.slice(0, MAX_DETAIL_LENGTH) }) as const;
	if (alert === undefined) return reject(`the alert is longer than ${MAX_PART_BYTES} bytes`);
	const poison = poisonIn(alert);
	if (poison !== undefined) return reject(`the alert is not safe: ${poison}`);
	const problem = schemaProblem(request, AlertSchema, alert);
	return problem === undefined ? (alert as Alert) : reject(`the alert is not valid: alert${problem}`);
}

/** Annotations are left out: they may show the present value of the alert, which changes from one sending to the next. */
function identityOf({ status, startsAt, endsAt, labels }: Alert): string {
	return createHash('sha256')
		.update(JSON.stringify([status, startsAt, endsAt, labels]))
		.digest('base64');
}

/** Where and why the value does not fit. */
function schemaProblem(request: FastifyRequest, schema: object, value: unknown): string | undefined {
	const validate = request.compileValidationSchema(schema);
	if (validate(value)) return undefined;
	const [first] = validate.errors ?? [];
	return `${first?.instancePath ?? ''} ${first?.message ?? 'does not fit'}`.slice(0, MAX_DETAIL_LENGTH).toWellFormed();
}
