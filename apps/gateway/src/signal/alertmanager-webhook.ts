// Alertmanager's webhook, version 4. The schema is strict about the shape, which Alertmanager guarantees, and lenient
// about the content: one odd alert must not make Alertmanager throw away the good ones beside it.
import * as Type from 'typebox';
import { namespaceOfAlert, TELLING_LABELS, targetOfAlert } from './alert-target.ts';
import { isNamespaceName } from './canonical-target.ts';
import { fingerprintOfLabels, fingerprintOfTarget } from './fingerprint.ts';
import { type Reception, type SignalReading, timeOr } from './parsed-signal.ts';
import type { TargetResource } from './signal.ts';
import { withinLimits } from './signal-limits.ts';

/** Not Type.Record: its pattern lets values of any type pass under names with a line break. */
const Texts = (description: string) =>
	Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' }, description });

export const AlertSchema = Type.Object({
	status: Type.Union([Type.Literal('firing'), Type.Literal('resolved')]),
	labels: Texts('What identifies the alert; `alertname` names it, the rest says what it is about.'),
	annotations: Type.Optional(Texts('For people.')),
	startsAt: Type.Optional(Type.String({ description: 'RFC 3339', examples: ['2026-11-16T20:00:00Z'] })),
	endsAt: Type.Optional(Type.String()),
	generatorURL: Type.Optional(Type.String()),
	fingerprint: Type.Optional(Type.String({ description: "Alertmanager's own; not ours." })),
});
export type Alert = Type.Static<typeof AlertSchema>;

export const AlertmanagerWebhookSchema = Type.Object(
	{
		version: Type.Optional(Type.Literal('4')),
		groupKey: Type.Optional(Type.String()),
		truncatedAlerts: Type.Optional(Type.Integer({ minimum: 0 })),
		status: Type.Optional(Type.Union([Type.Literal('firing'), Type.Literal('resolved')])),
		receiver: Type.Optional(Type.String()),
		groupLabels: Type.Optional(Texts('Equal in all alerts, by configuration.')),
		commonLabels: Type.Optional(Texts('Equal in all alerts.')),
		commonAnnotations: Type.Optional(Texts('Equal in all alerts.')),
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

/** One reading for each alert, in their order. */
export function readAlertmanagerWebhook(webhook: AlertmanagerWebhook, reception: Reception): SignalReading[] {
	const readings = webhook.alerts.map((alert) => readAlert(alert, webhook.receiver || 'alertmanager', reception));
	// Two alerts can be one incident (two containers of a pod): it is over only when none of them fires.
	const firing = new Set(readings.map((reading) => (reading.action === 'ingest' ? reading.signal.fingerprint : '')));
	return readings.map((reading) =>
		reading.action === 'resolve' && firing.has(reading.signal.fingerprint)
			? { action: 'ignore', message: 'another alert of the same incident still fires' }
			: reading,
	);
}

function readAlert(alert: Alert, receiver: string, { receivedTime, resolvedAlerts }: Reception): SignalReading {
	const { labels, annotations = {} } = alert;
	const name = labels['alertname'] ?? '';
	if (name.trim() === '') return { action: 'reject', message: 'the alert has no label alertname' };
	if (labels['severity'] === 'none') return { action: 'ignore', message: 'severity none asks for no action' };
	if (alert.status === 'resolved' && resolvedAlerts === 'ignore')
		return { action: 'ignore', message: 'resolved alerts are not acted on here' };

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
		labels,
		annotations,
		payload: JSON.stringify(alert),
	} as const;
	return {
		action: alert.status === 'firing' ? 'ingest' : 'resolve',
		signal: withinLimits(signal, TELLING_LABELS),
	};
}

/** An alert that names no resource is its own target: the readable part may be changed, the hash tells them apart. */
function alertItself(name: string, fingerprint: string, namespace: string | undefined): TargetResource {
	const readable = name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 200);
	return {
		kind: 'Alert',
		name: `${readable}-${fingerprint.slice(0, 16)}`,
		...(namespace !== undefined && isNamespaceName(namespace) ? { namespace } : {}),
	};
}
