// A Kubernetes Event, of core/v1 or of events.k8s.io/v1: the same object with some fields renamed. Only type Warning
// makes a signal. An Event is never resolved: nothing reports that the cause of a warning is gone.
import * as Type from 'typebox';
import { readTarget } from './canonical-target.ts';
import { fingerprintOfTarget } from './fingerprint.ts';
import { type ParsedSignal, type Reception, timeOr } from './parsed-signal.ts';
import { withinLimits } from './signal-limits.ts';

/** Go writes times that are not set as null. */
const Time = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const OptionalText = Type.Optional(Type.String());

const ObjectReferenceSchema = Type.Object({
	kind: Type.String({ minLength: 1 }),
	name: Type.String({ minLength: 1 }),
	namespace: OptionalText,
	apiVersion: OptionalText,
	uid: OptionalText,
	fieldPath: OptionalText,
});
const MetadataSchema = Type.Object({ name: OptionalText, namespace: OptionalText, creationTimestamp: Time });
const SourceSchema = Type.Optional(Type.Object({ component: OptionalText, host: OptionalText }));
const common = {
	kind: Type.Literal('Event'),
	metadata: Type.Optional(MetadataSchema),
	type: Type.String({ minLength: 1, description: 'Only Warning makes a signal.' }),
	reason: Type.String({ minLength: 1 }),
	eventTime: Time,
	reportingInstance: OptionalText,
};
const SeriesSchema = Type.Optional(
	Type.Union([Type.Object({ count: Type.Optional(Type.Integer()), lastObservedTime: Time }), Type.Null()]),
);

const CoreEventSchema = Type.Object(
	{
		...common,
		apiVersion: Type.Literal('v1'),
		involvedObject: ObjectReferenceSchema,
		message: OptionalText,
		source: SourceSchema,
		firstTimestamp: Time,
		lastTimestamp: Time,
		series: SeriesSchema,
		reportingComponent: OptionalText,
	},
	{ title: 'core/v1 Event' },
);
const EventsEventSchema = Type.Object(
	{
		...common,
		apiVersion: Type.Literal('events.k8s.io/v1'),
		regarding: ObjectReferenceSchema,
		note: OptionalText,
		deprecatedSource: SourceSchema,
		deprecatedFirstTimestamp: Time,
		deprecatedLastTimestamp: Time,
		series: SeriesSchema,
		reportingController: OptionalText,
	},
	{ title: 'events.k8s.io/v1 Event' },
);
export const KubernetesEventSchema = Type.Union([CoreEventSchema, EventsEventSchema], {
	description: 'A Kubernetes Event as the API server gives it.',
	examples: [
		{
			apiVersion: 'v1',
			kind: 'Event',
			metadata: { name: 'cart-7d4b9c-x2x8p.17f', namespace: 'shop' },
			type: 'Warning',
			reason: 'BackOff',
			message: 'Back-off restarting failed container',
			involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'cart-7d4b9c-x2x8p' },
			lastTimestamp: '2026-11-16T20:00:00Z',
		},
	],
});
export type KubernetesEvent = Type.Static<typeof KubernetesEventSchema>;

export function parseKubernetesEvent(event: KubernetesEvent, { receivedTime, storePayload }: Reception): ParsedSignal {
	if (event.type !== 'Warning') return { action: 'ignore', message: 'only Events of type Warning make signals' };
	if (event.reason.trim() === '') return { action: 'reject', message: 'the Event has no reason' };
	const { regarding, message, component, host, lastTime } = fieldsOf(event);
	const target =
		readTarget(regarding) ??
		// An Event lives in the namespace of its object: some reporters leave it out of the reference.
		(regarding.namespace ? undefined : readTarget({ ...regarding, namespace: event.metadata?.namespace }));
	if (target === undefined)
		return {
			action: 'reject',
			message: 'the Event refers to an object that cannot exist; check kind, name and namespace',
		};
	return {
		action: 'ingest',
		signal: withinLimits(
			{
				fingerprint: fingerprintOfTarget(event.reason, target),
				name: event.reason,
				severity: 'warning',
				type: 'event',
				source: component || 'kubernetes',
				target,
				firingTime: timeOr(lastTime, receivedTime),
				receivedTime: receivedTime.toISOString(),
				labels: host ? { host } : {},
				annotations: message ? { message } : {},
				...(storePayload ? { payload: JSON.stringify(event) } : {}),
			},
			[],
		),
	};
}

/**
 * The latest time, not the first: an Event that is repeated after a remediation is a new warning, and must not look
 * as if that remediation had answered it.
 */
function fieldsOf(event: KubernetesEvent) {
	if (event.apiVersion === 'v1')
		return {
			regarding: event.involvedObject,
			message: event.message,
			component: event.reportingComponent || event.source?.component,
			host: event.source?.host,
			lastTime: event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp,
		};
	return {
		regarding: event.regarding,
		message: event.note,
		component: event.reportingController || event.deprecatedSource?.component,
		host: event.deprecatedSource?.host,
		lastTime: event.series?.lastObservedTime ?? event.deprecatedLastTimestamp ?? event.eventTime,
	};
}
