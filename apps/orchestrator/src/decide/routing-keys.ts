// The configuration keys of the orchestrator's decisions, and the relations between them.

import { NOTIFICATION_REQUEST_CHANNELS } from '../generated/notification-request.ts';
import { type ConfigOf, configKey } from '../process/config-loader.ts';
import { duration, durationAboveZero, oneOf, someOf, text, wholeNumber } from '../process/config-values.ts';

export const ROUTING_KEYS = {
	cooldownMs: configKey({
		path: 'resource_locking.cooldown_period',
		env: 'RESOURCE_LOCKING_COOLDOWN_PERIOD',
		value: duration,
		default: '5m',
		help: 'Cooldown of a target after a run, unless its workflow sets one.',
	}),
	consecutiveFailures: configKey({
		path: 'routing.consecutive_failures',
		env: 'ROUTING_CONSECUTIVE_FAILURES',
		value: wholeNumber(1, 100),
		default: '3',
		help: 'Number of failures of a workflow on a target in a row within the window that block it there and send a notification.',
	}),
	failureWindowMs: configKey({
		path: 'routing.failure_window',
		env: 'ROUTING_FAILURE_WINDOW',
		value: duration,
		default: '1h',
		help: 'Window for consecutive failures; the block lasts this long after the last failure.',
	}),
	failureBackoffMs: configKey({
		path: 'routing.failure_backoff',
		env: 'ROUTING_FAILURE_BACKOFF',
		value: durationAboveZero,
		default: '10m',
		help: 'Wait after the first failure; it doubles with each failure, up to the window.',
	}),
	deadlineMs: configKey({
		path: 'routing.deadline',
		env: 'ROUTING_DEADLINE',
		value: durationAboveZero,
		default: '4h',
		help: 'A request that nothing could run for is TimedOut after this time.',
	}),
	cancelResolved: configKey({
		path: 'routing.cancel_resolved',
		env: 'ROUTING_CANCEL_RESOLVED',
		value: oneOf('on', 'off'),
		default: 'on',
		help: 'Whether a request is cancelled when its signal is resolved before anything ran.',
	}),
	approverVerified: configKey({
		path: 'approvals.approver_verified',
		env: 'APPROVALS_APPROVER_VERIFIED',
		value: oneOf('on', 'off'),
		default: 'off',
		help: 'Set to on after installing deploy/policies, which ties the approver to the user: approvals then count as verified.',
	}),
	executionTimeoutMs: configKey({
		path: 'executions.timeout',
		env: 'EXECUTIONS_TIMEOUT',
		value: durationAboveZero,
		default: '30m',
		help: 'Timeout of a run, unless its workflow sets one.',
	}),
	retentionMs: configKey({
		path: 'requests.retention',
		env: 'REQUESTS_RETENTION',
		value: duration,
		default: '24h',
		help: 'How long a finished request is kept, with the objects that it owns.',
	}),
	channels: configKey({
		path: 'notifications.channels',
		env: 'NOTIFICATIONS_CHANNELS',
		value: someOf(...NOTIFICATION_REQUEST_CHANNELS),
		default: undefined,
		help: 'Channels of all notifications; the routing of the notification service decides when absent.',
	}),
	pauseConfigMap: configKey({
		path: 'pause.config_map',
		env: 'PAUSE_CONFIG_MAP',
		value: text,
		default: 'kubernaut-pause',
		help: 'ConfigMap that pauses everything (all: "true"), namespaces or targets. Write another name into the Role, too.',
	}),
	turnMs: configKey({
		path: 'controller.turn',
		env: 'CONTROLLER_TURN',
		value: duration,
		default: '250ms',
		help: 'Replicas take turns at a target; the next one steps in this long after the one before.',
	}),
	concurrency: configKey({
		path: 'controller.concurrency',
		env: 'CONTROLLER_CONCURRENCY',
		value: wholeNumber(1, 1000),
		default: '16',
		help: 'Maximum number of targets reconciled at once.',
	}),
} as const;

/** A watch whose connection is dead is noticed after 150 s of silence; then everything is listed again. */
const VIEW_MAY_BE_LATE_MS = 180_000;

export function impossibleRoutingRelations(config: ConfigOf<typeof ROUTING_KEYS>): string[] {
	const problems: string[] = [];
	const shorter = (a: keyof typeof ROUTING_KEYS, b: keyof typeof ROUTING_KEYS, why: string) => {
		if (Number(config[a]) >= Number(config[b]))
			problems.push(
				`${ROUTING_KEYS[a].env} is ${String(config[a])} ms and ${ROUTING_KEYS[b].env} ${String(config[b])} ms: ${why}`,
			);
	};
	shorter('cooldownMs', 'deadlineMs', 'a request that waits for the cooldown would time out');
	shorter('failureWindowMs', 'deadlineMs', 'a request that waits for the end of a block would time out');
	shorter('failureBackoffMs', 'deadlineMs', 'a request that waits after a failure would time out');
	const keptMs = Math.max(config.retentionMs, config.failureWindowMs, config.cooldownMs);
	if (keptMs < VIEW_MAY_BE_LATE_MS)
		problems.push(
			`REQUESTS_RETENTION, ROUTING_FAILURE_WINDOW and RESOURCE_LOCKING_COOLDOWN_PERIOD are at most ${keptMs} ms: one of them must be ${VIEW_MAY_BE_LATE_MS} ms or more, because a replica may learn so late what has run`,
		);
	if (config.turnMs > 1000)
		problems.push(`CONTROLLER_TURN is ${config.turnMs} ms: at most 1000 ms, because every remediation waits for it`);
	return problems;
}
