// Alertmanager's webhook, version 4. The schema is strict about the shape, which Alertmanager guarantees, and lenient
// about the content: one odd alert must not make Alertmanager drop the valid ones beside it.
import * as Type from 'typebox';
import { IDENTIFYING_LABELS, namespaceOfAlert, targetOfAlert } from './alert-target.ts';
import { isNamespaceName } from './canonical-target.ts';
import { fingerprintOfLabels, fingerprintOfTarget } from './fingerprint.ts';
import { type ParsedSignal, type Reception, timeOr } from './parsed-signal.ts';
import type { TargetResource } from './signal.ts';
import { withinLimits } from './signal-limits.ts';

/** Not Type.Record: its pattern lets values of any type pass under names with a line break. */
const Texts = (description: string) =>
	Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' }, description });

const AlertSchema = Type.Object({
	status: Type.Union([Type.Literal('firing'), Type.Literal('resolved')]),
	labels: Texts('Identify the alert: `alertname` is its name, the others say which resource it is about.'),
	annotations: Type.Optional(Texts('Free text for people.')),
	startsAt: Type.Optional(Type.String({ description: 'RFC 3339', examples: ['2026-11-16T20:00:00Z'] })),
	endsAt: Type.Optional(Type.String()),
	generatorURL: Type.Optional(Type.String()),
	fingerprint: Type.Optional(Type.String({ description: "Alertmanager's own fingerprint; it is not used." })),
});
export type Alert = Type.Static<typeof AlertSchema>;

export const AlertmanagerWebhookSchema = Type.Object(
	{
		version: Type.Optional(Type.Literal('4')),
		groupKey: Type.Optional(Type.String()),
		truncatedAlerts: Type.Optional(Type.Integer({ minimum: 0 })),
		status: Type.Optional(Type.Union([Type.Literal('firing'), Type.Literal('resolved')])),
		receiver: Type.Optional(Type.String()),
		groupLabels: Type.Optional(Texts('Labels that the alerts are grouped by.')),
		commonLabels: Type.Optional(Texts('Labels that are equal in all alerts.')),
		commonAnnotations: Type.Optional(Texts('Annotations that are equal in all alerts.')),
		externalURL: Type.Optional(Type.String()),
		alerts: Type.Array(AlertSchema, { minItems: 1 }),
	},
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
export type AlertmanagerWebhook = Type.Static<typeof AlertmanagerWebhookSchema>;

/** One result for each alert, in their order. */
export function parseAlertmanagerWebhook(webhook: AlertmanagerWebhook, reception: Reception): ParsedSignal[] {
	const parsed = webhook.alerts.map((alert) => parseAlert(alert, webhook.receiver || 'alertmanager', reception));
	// Two alerts can be one incident (two containers of a pod): it is over only when none of them fires.
	const firing = new Set(parsed.map((each) => (each.action === 'ingest' ? each.signal.fingerprint : '')));
	return parsed.map((each) =>
		each.action === 'resolve' && firing.has(each.signal.fingerprint)
			? { action: 'ignore', message: 'another alert of the same incident is still firing' }
			: each,
	);
}

function parseAlert(alert: Alert, receiver: string, { receivedTime, resolvedAlerts }: Reception): ParsedSignal {
	const { labels, annotations = {} } = alert;
	const name = labels['alertname'] ?? '';
	if (name.trim() === '') return { action: 'reject', message: 'the alert has no label alertname' };
	if (labels['severity'] === 'none') return { action: 'ignore', message: 'alerts of severity none need no action' };
	if (alert.status === 'resolved' && resolvedAlerts === 'ignore')
		return { action: 'ignore', message: 'resolved alerts are ignored (signals.resolved_alerts)' };

	const named = targetOfAlert(labels);
	const fingerprint = named === undefined ? fingerprintOfLabels(labels) : fingerprintOfTarget(name, named);
	const signal = {
		fingerprint,
		name,
		severity: labels['severity'] || 'unknown',
		type: 'alert',
		source: receiver,
		target: named ?? alertItself(name, fingerprint, namespaceOfAlert(labels)),
		firingTime: timeOr(alert.startsAt, receivedTime),
		receivedTime: receivedTime.toISOString(),
		...(alert.status === 'resolved' ? { resolvedTime: timeOr(alert.endsAt, receivedTime) } : {}),
		labels,
		annotations,
		payload: JSON.stringify(alert),
	} as const;
	return {
		action: alert.status === 'firing' ? 'ingest' : 'resolve',
		signal: withinLimits(signal, IDENTIFYING_LABELS),
	};
}

/** An alert that names no resource is its own target. The readable part may be altered; the hash keeps it unique. */
function alertItself(name: string, fingerprint: string, namespace: string | undefined): TargetResource {
	const readable = name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 200);
	return {
		kind: 'Alert',
		name: `${readable}-${fingerprint.slice(0, 16)}`,
		...(namespace !== undefined && isNamespaceName(namespace) ? { namespace } : {}),
	};
}
