// Alertmanager's webhook, version 4: an envelope, whose shape is checked strictly, and alerts, each of which is parsed on its
// own. An alert that is wrong in any way is rejected alone: Alertmanager would drop the valid ones beside it.
import * as Type from 'typebox';
import { IDENTIFYING_LABELS, type Labels, namespaceOfAlert, targetOfAlert } from './alert-target.ts';
import { isNamespaceName } from './canonical-target.ts';
import { fingerprintOfLabels, fingerprintOfTarget } from './fingerprint.ts';
import { type ParsedSignal, type Reception, timeOr } from './parsed-signal.ts';
import type { TargetResource } from './signal.ts';
import { withinLimits } from './signal-limits.ts';

/** Not Type.Record: its pattern lets values of any type pass under names with a line break. */
const Texts = (description: string) =>
	Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' }, description });

export const AlertSchema = Type.Object({
	status: Type.Union([Type.Literal('firing'), Type.Literal('resolved')]),
	labels: Texts('Identify the alert: `alertname` is its name, the others say which resource it is about.'),
	annotations: Type.Optional(Texts('Free text for people.')),
	startsAt: Type.Optional(Type.String({ description: 'RFC 3339', examples: ['2026-11-16T20:00:00Z'] })),
	endsAt: Type.Optional(Type.String()),
	generatorURL: Type.Optional(Type.String()),
	fingerprint: Type.Optional(Type.String({ description: "Alertmanager's own fingerprint; it is not used." })),
});
export type Alert = Type.Static<typeof AlertSchema>;

/** Without its alerts. */
export const WebhookEnvelopeSchema = Type.Object({
	version: Type.Optional(Type.Literal('4')),
	groupKey: Type.Optional(Type.String()),
	truncatedAlerts: Type.Optional(Type.Integer({ minimum: 0 })),
	status: Type.Optional(Type.Union([Type.Literal('firing'), Type.Literal('resolved')])),
	receiver: Type.Optional(Type.String()),
	groupLabels: Type.Optional(Texts('Labels that the alerts are grouped by.')),
	commonLabels: Type.Optional(Texts('Labels that are equal in all alerts.')),
	commonAnnotations: Type.Optional(Texts('Annotations that are equal in all alerts.')),
	externalURL: Type.Optional(Type.String()),
});
export type WebhookEnvelope = Type.Static<typeof WebhookEnvelopeSchema>;

/** As it is documented. */
export const AlertmanagerWebhookSchema = Type.Object(
	{ ...WebhookEnvelopeSchema.properties, alerts: Type.Array(AlertSchema, { minItems: 1 }) },
	{
		description: 'What Alertmanager sends to a webhook_configs receiver.',
		examples: [
			{
				version: '4',
				receiver: 'kubernaut',
				alerts: [
					{
						status: 'firing',
						labels: { alertname: 'PodCrashLooping', severity: 'critical', namespace: 'shop', pod: 'cart-7d4b9c-x2x8p' },
						annotations: { summary: 'cart restarts again and again' },
						startsAt: '2026-11-16T20:00:00Z',
					},
				],
			},
		],
	},
);

/** The incident that a firing alert stands for; undefined when it stands for none. */
export function firingIncident({ status, labels }: Alert): string | undefined {
	return status === 'firing' && labels['severity'] !== 'none' ? incidentOf(labels).fingerprint : undefined;
}

/** `firing`: the incidents of the same batch that still fire. Two alerts can be one incident (two containers of a pod). */
export function parseAlert(
	alert: Alert,
	receiver: string | undefined,
	reception: Reception,
	firing?: ReadonlySet<string>,
): ParsedSignal {
	const { labels, annotations = {} } = alert;
	const { receivedTime, resolvedAlerts, storePayload } = reception;
	const name = labels['alertname'] ?? '';
	if (name.trim() === '') return { action: 'reject', message: 'the alert has no label alertname' };
	const unreadable = unreadableLabel(labels);
	if (unreadable !== undefined) return { action: 'reject', message: unreadable };
	if (labels['severity'] === 'none') return { action: 'ignore', message: 'alerts of severity none need no action' };
	if (alert.status === 'resolved' && resolvedAlerts === 'ignore')
		return { action: 'ignore', message: 'resolved alerts are ignored (signals.resolved_alerts)' };

	const { fingerprint, named } = incidentOf(labels);
	if (alert.status === 'resolved' && firing?.has(fingerprint) === true)
		return { action: 'ignore', message: 'another alert of the same incident is still firing' };
	const signal = {
		fingerprint,
		name,
		severity: labels['severity'] || 'unknown',
		type: 'alert',
		source: receiver || 'alertmanager',
		target: named ?? alertItself(name, fingerprint, namespaceOfAlert(labels)),
		firingTime: timeOr(alert.startsAt, receivedTime),
		receivedTime: receivedTime.toISOString(),
		...(alert.status === 'resolved' ? { resolvedTime: timeOr(alert.endsAt, receivedTime) } : {}),
		labels,
		annotations,
		...(storePayload ? { payload: JSON.stringify(alert) } : {}),
	} as const;
	return {
		action: alert.status === 'firing' ? 'ingest' : 'resolve',
		signal: withinLimits(signal, IDENTIFYING_LABELS),
	};
}

function incidentOf(labels: Labels): { fingerprint: string; named: TargetResource | undefined } {
	const named = targetOfAlert(labels);
	const fingerprint =
		named === undefined ? fingerprintOfLabels(labels) : fingerprintOfTarget(labels['alertname'] ?? '', named);
	return { fingerprint, named };
}

// Labels identify: a control character or half a character in one is damage on the way, or an attack on people's terminals.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

function unreadableLabel(labels: Labels): string | undefined {
	if (/[\n\r\t]/.test(labels['alertname'] ?? '')) return 'the name of the alert has a control character';
	for (const label of Object.keys(labels)) {
		const value = labels[label] ?? '';
		if (CONTROL.test(label) || CONTROL.test(value)) return 'a label of the alert has a control character';
		if (!label.isWellFormed() || !value.isWellFormed()) return 'a label of the alert is not valid Unicode';
	}
	return undefined;
}

/** An alert that names no resource is its own target. The readable part may be altered; the hash keeps it unique. */
function alertItself(name: string, fingerprint: string, namespace: string | undefined): TargetResource {
	// No leading hyphen: a command would take the name for one of its options.
	const readable = name
		.replace(/[^A-Za-z0-9._-]+/g, '-')
		.replace(/^[^A-Za-z0-9]+/, '')
		.slice(0, 200);
	return {
		kind: 'Alert',
		name: `${readable || 'alert'}-${fingerprint.slice(0, 16)}`,
		...(namespace !== undefined && isNamespaceName(namespace) ? { namespace } : {}),
	};
}
