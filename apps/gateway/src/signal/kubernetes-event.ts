// A Kubernetes Event, of core/v1 or of events.k8s.io/v1: the same object with some fields renamed. Forwarders leave out kind
// and apiVersion, or wrap it: the reference to its object is what makes it one. Only type Warning makes a signal. An Event
// is never resolved: nothing reports that the cause of a warning is gone.
import * as Type from 'typebox';
import { readTarget } from './canonical-target.ts';
import { clusterOf } from './cluster.ts';
import { describeIdentity, fingerprintOfTarget } from './fingerprint.ts';
import { lookUpFor, subjectOf } from './look-up.ts';
import { type ParsedSignal, type Reception, timeOr } from './parsed-signal.ts';
import type { OwnerReference } from './signal.ts';
import { signalItself } from './signal-itself.ts';
import { withinLimits } from './signal-limits.ts';

/** Go writes times that are not set as null. */
const Time = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const OptionalText = Type.Optional(Type.String());

const OwnerReferenceSchema = Type.Object({
	apiVersion: OptionalText,
	kind: Type.String({ minLength: 1 }),
	name: Type.String({ minLength: 1 }),
	controller: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
});
const ObjectReferenceSchema = Type.Object({
	kind: Type.String({ minLength: 1 }),
	name: Type.String({ minLength: 1 }),
	namespace: OptionalText,
	apiVersion: OptionalText,
	uid: OptionalText,
	fieldPath: OptionalText,
	ownerReferences: Type.Optional(
		Type.Union([Type.Array(OwnerReferenceSchema), Type.Null()], {
			description: 'Owners of the object, where a forwarder adds them: used when the object is gone.',
		}),
	),
});
const MetadataSchema = Type.Object({ name: OptionalText, namespace: OptionalText, creationTimestamp: Time });
const SourceSchema = Type.Optional(Type.Object({ component: OptionalText, host: OptionalText }));
const common = {
	kind: Type.Optional(Type.Union([Type.Literal('Event'), Type.Literal('')])),
	metadata: Type.Optional(MetadataSchema),
	type: Type.String({ minLength: 1, description: 'Only Warning makes a signal.' }),
	reason: Type.String({ minLength: 1 }),
	eventTime: Time,
	reportingInstance: OptionalText,
	clusterName: Type.Optional(Type.String({ description: 'As kubernetes-event-exporter adds it.' })),
};
const SeriesSchema = Type.Optional(
	Type.Union([Type.Object({ count: Type.Optional(Type.Integer()), lastObservedTime: Time }), Type.Null()]),
);

const CoreEventSchema = Type.Object(
	{
		...common,
		apiVersion: Type.Optional(Type.Union([Type.Literal('v1'), Type.Literal('')])),
		involvedObject: ObjectReferenceSchema,
		regarding: Type.Optional(Type.Never()),
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
		apiVersion: Type.Optional(Type.Union([Type.Literal('events.k8s.io/v1'), Type.Literal('')])),
		regarding: ObjectReferenceSchema,
		involvedObject: Type.Optional(Type.Never()),
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
	description:
		'A Kubernetes Event as the API server gives it, or as forwarders send it: without kind and apiVersion, or wrapped in `object` (a watch) or `event` (eventrouter).',
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

/** The Event in a body, which may be wrapped. `undefined`: the body reports that an Event was deleted. */
export function eventIn(body: unknown): unknown {
	if (typeof body !== 'object' || body === null || 'involvedObject' in body || 'regarding' in body) return body;
	const { type, object, event } = body as { type?: unknown; object?: unknown; event?: unknown };
	const inside = object ?? event;
	if (typeof inside !== 'object' || inside === null) return body;
	return type === 'DELETED' ? undefined : inside;
}

export const DELETED_EVENT: ParsedSignal = { action: 'ignore', message: 'a deleted Event makes no signal' };

export function parseKubernetesEvent(event: KubernetesEvent, reception: Reception): ParsedSignal {
	const { receivedTime, storePayload, rules } = reception;
	if (event.type !== 'Warning') return { action: 'ignore', message: 'only Events of type Warning make signals' };
	if (event.reason.trim() === '') return { action: 'reject', message: 'the Event has no reason' };
	const claim = clusterOf({ [rules.clusterLabel]: event.clusterName ?? '' }, rules);
	if (claim.whose === 'another')
		return { action: 'ignore', message: `not ours: the Event is of the cluster ${claim.cluster}`, isElsewhere: true };
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
	const cluster = claim.whose === 'unknown' ? claim.cluster : undefined;
	const subject = subjectOf(target);
	const isElsewhere = claim.whose === 'unknown' && !claim.mayHaveObject;
	const fingerprint = fingerprintOfTarget(event.reason, target, cluster);
	return {
		action: 'ingest',
		signal: withinLimits({
			fingerprint,
			name: event.reason,
			severity: 'warning',
			type: 'event',
			source: component || 'kubernetes',
			...(isElsewhere
				? { target: signalItself(event.reason, fingerprint, target.namespace), lookUp: { find: 'nothing' } }
				: {
						target,
						...(subject === undefined ? {} : { subject }),
						lookUp: lookUpFor(target, ownersOf(regarding.ownerReferences)),
					}),
			...(cluster === undefined ? {} : { cluster }),
			reasons: [
				isElsewhere ? `the cluster ${cluster} is not ours: no object` : `the Event is about the ${target.kind}`,
				describeIdentity(target, cluster),
			],
			firingTime: timeOr(lastTime, receivedTime),
			receivedTime: receivedTime.toISOString(),
			labels: host ? { host } : {},
			annotations: message ? { message } : {},
			...(storePayload ? { payload: JSON.stringify(event) } : {}),
		}),
	};
}

function ownersOf(references: Type.Static<typeof ObjectReferenceSchema>['ownerReferences']): OwnerReference[] {
	return (references ?? []).map(({ apiVersion, kind, name, controller }) => ({
		kind,
		name,
		...(apiVersion ? { apiVersion } : {}),
		...(typeof controller === 'boolean' ? { controller } : {}),
	}));
}

/**
 * The latest time, not the first: an Event that is repeated after a remediation is a new warning, and must not look
 * as if that remediation had answered it.
 */
function fieldsOf(event: KubernetesEvent) {
	if (event.involvedObject !== undefined)
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
