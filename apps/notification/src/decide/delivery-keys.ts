// The configuration keys of deliveries and of their coordination, and the relations that the promise needs.

import { NOTIFICATION_REQUEST_CHANNELS } from '../generated/notification-request.ts';
import { type ConfigOf, configKey } from '../process/config-loader.ts';
import { duration, durationAboveZero, oneOf, someOf, text, type Value, wholeNumber } from '../process/config-values.ts';
import { DEFAULT_KEY_TEMPLATE, keyTemplateProblem } from './delivery-key.ts';
import { MIN_RETENTION_MS } from './retention.ts';

/** The owner of a claim stops so long before another may take it over. */
export const CLAIM_MARGIN_MS = 2000;

/** As the environment has it, or as YAML has it. */
const trueOrFalse: Value<boolean> = {
	allowed: 'true or false',
	parse: (raw) => (raw === true || raw === 'true' ? true : raw === false || raw === 'false' ? false : undefined),
};

export const DELIVERY_KEYS = {
	useDistributedLocking: configKey({
		path: 'lock.enabled',
		env: 'USE_DISTRIBUTED_LOCKING',
		value: trueOrFalse,
		default: 'false',
		help: 'Lock deliveries to slack, email and webhook with Leases, and pace receivers over all replicas. Each message is sent once without it, too.',
	}),
	leaseDurationMs: configKey({
		path: 'lock.lease_duration',
		env: 'LOCK_LEASE_DURATION',
		value: duration,
		default: '30s',
		help: 'How long a delivery stays locked after its holder died; whole seconds.',
	}),
	lockKubeconfig: configKey({
		path: 'lock.kubeconfig',
		env: 'LOCK_KUBECONFIG',
		value: text,
		default: undefined,
		help: 'Kubeconfig file of the coordination cluster, where several clusters share Leases, pace and records; this cluster when absent.',
	}),
	lockNamespace: configKey({
		path: 'lock.namespace',
		env: 'LOCK_NAMESPACE',
		value: text,
		default: undefined,
		help: "Namespace of the Leases; the pod's namespace when absent. The same in every cluster that shares them.",
	}),
	onLockUnavailable: configKey({
		path: 'lock.on_unavailable',
		env: 'ON_LOCK_UNAVAILABLE',
		value: oneOf('hold', 'deliver'),
		default: 'hold',
		help: 'When no Lease can be had because of a fault: hold the message, or deliver it with the claim in its status alone and a pace per replica.',
	}),
	keyTemplate: configKey({
		path: 'lock.key',
		env: 'LOCK_KEY',
		value: text,
		default: DEFAULT_KEY_TEMPLATE,
		help: 'Key of a message across clusters: a template over spec.context, with {channel}. Used with LOCK_KUBECONFIG.',
	}),
	sendTimeoutMs: configKey({
		path: 'delivery.send_timeout',
		env: 'DELIVERY_SEND_TIMEOUT',
		value: durationAboveZero,
		default: '10s',
		help: 'Time limit of one send; then it is aborted.',
	}),
	claimTimeoutMs: configKey({
		path: 'delivery.claim_timeout',
		env: 'DELIVERY_CLAIM_TIMEOUT',
		value: durationAboveZero,
		default: '20s',
		help: 'A claim that was seen unchanged for so long is taken over: its sender has stopped.',
	}),
	atMostOnce: configKey({
		path: 'delivery.at_most_once',
		env: 'DELIVERY_AT_MOST_ONCE',
		value: someOf(...NOTIFICATION_REQUEST_CHANNELS),
		default: undefined,
		help: 'Channels on which a message whose outcome is not known is given up; on the others it is sent again.',
	}),
	paceSlackMs: configKey({
		path: 'pace.slack',
		env: 'PACE_SLACK',
		value: duration,
		default: '1s',
		help: 'Pause between two messages to one Slack workspace.',
	}),
	paceEmailMs: configKey({
		path: 'pace.email',
		env: 'PACE_EMAIL',
		value: duration,
		default: '0s',
		help: 'Pause between two messages to one mail server.',
	}),
	paceWebhookMs: configKey({
		path: 'pace.webhook',
		env: 'PACE_WEBHOOK',
		value: duration,
		default: '0s',
		help: 'Pause between two messages to one webhook.',
	}),
	lineWidth: configKey({
		path: 'delivery.concurrency',
		env: 'DELIVERY_CONCURRENCY',
		value: wholeNumber(1, 100),
		default: '8',
		help: 'Messages that are sent at once on one channel; one at a time on a channel with a pace.',
	}),
	retentionMs: configKey({
		path: 'requests.retention',
		env: 'REQUESTS_RETENTION',
		value: duration,
		default: '24h',
		help: 'How long a finished NotificationRequest is kept, and a record in the coordination cluster; at least 10m.',
	}),
	turnMs: configKey({
		path: 'controller.turn',
		env: 'CONTROLLER_TURN',
		value: duration,
		default: '250ms',
		help: 'Replicas take turns at a message; the next one steps in this long after the one before. Without locking: the longest wait of a replica.',
	}),
	concurrency: configKey({
		path: 'controller.concurrency',
		env: 'CONTROLLER_CONCURRENCY',
		value: wholeNumber(1, 1000),
		default: '16',
		help: 'Maximum number of messages reconciled at once.',
	}),
} as const;

type DeliveryConfig = ConfigOf<typeof DELIVERY_KEYS>;

export function impossibleDeliveryRelations(config: DeliveryConfig): string[] {
	const { sendTimeoutMs, claimTimeoutMs, leaseDurationMs, retentionMs } = config;
	const problems: string[] = [];
	if (sendTimeoutMs + CLAIM_MARGIN_MS >= claimTimeoutMs)
		problems.push(
			`DELIVERY_SEND_TIMEOUT is ${sendTimeoutMs} ms and DELIVERY_CLAIM_TIMEOUT ${claimTimeoutMs} ms: the send and a margin of ${CLAIM_MARGIN_MS} ms must be shorter than the claim, or a message that is being sent is sent again`,
		);
	if (claimTimeoutMs >= leaseDurationMs)
		problems.push(
			`DELIVERY_CLAIM_TIMEOUT is ${claimTimeoutMs} ms and LOCK_LEASE_DURATION ${leaseDurationMs} ms: the claim must be shorter than the Lease, or a Lease is free while its message is claimed`,
		);
	if (retentionMs < MIN_RETENTION_MS)
		problems.push(
			`REQUESTS_RETENTION is ${retentionMs} ms: it must be at least ${MIN_RETENTION_MS} ms, or the orchestrator makes a removed NotificationRequest again`,
		);
	if (config.lockKubeconfig !== undefined && !config.useDistributedLocking)
		problems.push(
			'LOCK_KUBECONFIG is set and USE_DISTRIBUTED_LOCKING is false: set it to true, or leave LOCK_KUBECONFIG out',
		);
	const template = keyTemplateProblem(config.keyTemplate);
	if (template !== undefined) problems.push(`LOCK_KEY: ${template}`);
	return problems;
}
