// Alertmanager's webhook, version 4, and Grafana's, version 1, which is the same with fields of its own: an envelope, whose
// shape is checked strictly, and alerts, each of which is parsed on its own. An alert that is wrong in any way is rejected
// alone: Alertmanager would drop the valid ones beside it.
import * as Type from 'typebox';
import { type ClusterClaim, clusterOf, withoutCluster } from './cluster.ts';
import { describeIdentity, fingerprintOfLabels, fingerprintOfTarget, idOfLabels } from './fingerprint.ts';
import { type ParsedSignal, type Reception, timeOr } from './parsed-signal.ts';
import type { AlertOccurrence } from './signal.ts';
import { signalItself } from './signal-itself.ts';
import { withinLimits } from './signal-limits.ts';
import type { SignalRules } from './signal-rules.ts';
import { type Finding, findTarget, type Labels } from './target/alert-target.ts';
import { identifyingLabels } from './target/identifying-labels.ts';
import { measuredNamespace } from './target/named-object.ts';

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
	fingerprint: Type.Optional(
		Type.String({ description: "Alertmanager's own fingerprint: tells apart the alerts of one incident." }),
	),
});
export type Alert = Type.Static<typeof AlertSchema>;

/** Without its alerts. */
export const WebhookEnvelopeSchema = Type.Object({
	version: Type.Optional(
		Type.Union([Type.Literal('4'), Type.Literal('1')], { description: 'Alertmanager sends 4, Grafana 1.' }),
	),
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
		description: 'What Alertmanager sends to a webhook_configs receiver, and Grafana to a webhook contact point.',
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

/** Each alert on its own: others of the same incident may fire in the same batch. */
export function parseAlert(alert: Alert, receiver: string | undefined, reception: Reception): ParsedSignal {
	const { labels, annotations = {} } = alert;
	const { receivedTime, resolvedAlerts, storePayload, rules } = reception;
	const name = labels['alertname'] ?? '';
	if (name.trim() === '') return { action: 'reject', message: 'the alert has no label alertname' };
	const unreadable = unreadableLabel(labels);
	if (unreadable !== undefined) return { action: 'reject', message: unreadable };
	if (labels['severity'] === 'none') return { action: 'ignore', message: 'alerts of severity none need no action' };
	const claim = clusterOf(labels, rules);
	if (claim.whose === 'another')
		return { action: 'ignore', message: `not ours: the alert is of the cluster ${claim.cluster}`, isElsewhere: true };
	if (alert.status === 'resolved' && resolvedAlerts === 'ignore')
		return { action: 'ignore', message: 'resolved alerts are ignored (signals.resolved_alerts)' };

	const { fingerprint, found, reasons } = incidentOf(labels, claim, rules);
	const signal = {
		fingerprint,
		name,
		severity: labels['severity'] || 'unknown',
		type: 'alert',
		source: receiver || 'alertmanager',
		target: found.target ?? signalItself(name, fingerprint, measuredNamespace(labels)),
		...(found.subject === undefined ? {} : { subject: found.subject }),
		lookUp: found.lookUp,
		alert: occurrenceOf(alert, receivedTime),
		...(claim.whose === 'unknown' ? { cluster: claim.cluster } : {}),
		reasons,
		firingTime: timeOr(alert.startsAt, receivedTime),
		receivedTime: receivedTime.toISOString(),
		...(alert.status === 'resolved' ? { resolvedTime: timeOr(alert.endsAt, receivedTime) } : {}),
		labels,
		annotations,
		...(storePayload ? { payload: JSON.stringify(alert) } : {}),
	} as const;
	return {
		action: alert.status === 'firing' ? 'ingest' : 'resolve',
		signal: withinLimits(signal, identifyingLabels(rules)),
	};
}

const ALERT_ID = /^[0-9a-f]{1,64}$/;

function occurrenceOf({ status, labels, fingerprint, startsAt, endsAt }: Alert, receivedTime: Date): AlertOccurrence {
	return {
		id: fingerprint !== undefined && ALERT_ID.test(fingerprint) ? fingerprint : idOfLabels(labels),
		startsAt: timeOr(startsAt, receivedTime),
		...(status === 'resolved' ? { endsAt: timeOr(endsAt, receivedTime) } : {}),
	};
}

type Incident = { readonly fingerprint: string; readonly found: Finding; readonly reasons: readonly string[] };

function incidentOf(all: Labels, claim: Exclude<ClusterClaim, { whose: 'another' }>, rules: SignalRules): Incident {
	const labels = withoutCluster(all, rules);
	const cluster = claim.whose === 'unknown' ? claim.cluster : undefined;
	const found: Finding =
		claim.whose === 'unknown' && !claim.mayHaveObject
			? { lookUp: { find: 'nothing' }, reasons: [`the cluster ${claim.cluster} is not ours: no object`] }
			: findTarget(labels, rules);
	const object = found.identity ?? found.target;
	const fingerprint =
		object === undefined
			? fingerprintOfLabels(labels, rules, { cluster, alsoPassing: found.alsoPassing ?? [] })
			: fingerprintOfTarget(labels['alertname'] ?? '', object, cluster);
	return { fingerprint, found, reasons: [...found.reasons, describeIdentity(object, cluster)] };
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
