// The keys that say how the orchestrator decides, and the relations between them.

import { NOTIFICATION_REQUEST_CHANNELS } from './generated/notification-request.ts';
import { type ConfigOf, configKey } from './process/config-loader.ts';
import { duration, durationAboveZero, oneOf, someOf, text, wholeNumber } from './process/config-values.ts';

export const ROUTING_KEYS = {
	cooldownMs: configKey({
		path: 'resource_locking.cooldown_period',
		env: 'RESOURCE_LOCKING_COOLDOWN_PERIOD',
		value: duration,
		default: '5m',
		help: 'How long a target is left alone after a run, where its workflow does not say.',
	}),
	consecutiveFailures: configKey({
		path: 'routing.consecutive_failures',
		env: 'ROUTING_CONSECUTIVE_FAILURES',
		value: wholeNumber(1, 100),
		default: '3',
		help: 'So many failures of a target in a row within the window block it and call a person.',
	}),
	failureWindowMs: configKey({
		path: 'routing.failure_window',
		env: 'ROUTING_FAILURE_WINDOW',
		value: duration,
		default: '1h',
		help: 'The window for that; the block ends so long after the last failure.',
	}),
	failureBackoffMs: configKey({
		path: 'routing.failure_backoff',
		env: 'ROUTING_FAILURE_BACKOFF',
		value: durationAboveZero,
		default: '10m',
		help: 'The wait after a first failure; it doubles with each, up to the window.',
	}),
	deadlineMs: configKey({
		path: 'routing.deadline',
		env: 'ROUTING_DEADLINE',
		value: durationAboveZero,
		default: '4h',
		help: 'A request that could not be acted on for so long is TimedOut.',
	}),
	cancelResolved: configKey({
		path: 'routing.cancel_resolved',
		env: 'ROUTING_CANCEL_RESOLVED',
		value: oneOf('on', 'off'),
		default: 'on',
		help: 'Whether a request whose signal was resolved is cancelled when nothing has begun.',
	}),
	executionTimeoutMs: configKey({
		path: 'executions.timeout',
		env: 'EXECUTIONS_TIMEOUT',
		value: durationAboveZero,
		default: '30m',
		help: 'The longest run, where its workflow does not say.',
	}),
	retentionMs: configKey({
		path: 'requests.retention',
		env: 'REQUESTS_RETENTION',
		value: duration,
		default: '24h',
		help: 'A finished request is kept for so long, with what was made for it.',
	}),
	channels: configKey({
		path: 'notifications.channels',
		env: 'NOTIFICATIONS_CHANNELS',
		value: someOf(...NOTIFICATION_REQUEST_CHANNELS),
		default: 'log',
		help: 'Where people are told.',
	}),
	pauseConfigMap: configKey({
		path: 'pause.config_map',
		env: 'PAUSE_CONFIG_MAP',
		value: text,
		default: 'kubernaut-pause',
		help: 'The ConfigMap that pauses everything (all: "true"), namespaces or targets. Another name must stand in the Role too.',
	}),
	turnMs: configKey({
		path: 'controller.turn',
		env: 'CONTROLLER_TURN',
		value: duration,
		default: '250ms',
		help: 'Replicas take turns at a target; the next one steps in so long after the one before.',
	}),
	concurrency: configKey({
		path: 'controller.concurrency',
		env: 'CONTROLLER_CONCURRENCY',
		value: wholeNumber(1, 1000),
		default: '16',
		help: 'So many targets are looked at at once.',
	}),
} as const;

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
	if (config.turnMs > 1000)
		problems.push(`CONTROLLER_TURN is ${config.turnMs} ms: at most 1000 ms, because every remediation waits for it`);
	return problems;
}
