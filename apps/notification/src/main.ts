// Puts the notification service together and runs it until a signal stops it.
import { type CoordinationConnection, connectCoordination } from './act/coordination/connect-coordination.ts';
import { deliveryLog } from './act/delivery-log.ts';
import { targetOptions } from './channels/channel-keys.ts';
import { closeChannels, createChannels } from './channels/channels.ts';
import { CONFIG_KEYS, type Config, loadAppConfig } from './config.ts';
import { controllerLog } from './controller/controller-log.ts';
import { lockLog } from './distributed-lock.ts';
import { connectKube } from './kube/connect-kube.ts';
import { logSync } from './kube/list-watch.ts';
import { messageOf } from './message/message-of.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { startNotificationService } from './notification.ts';
import { allOf } from './process/all-observers.ts';
import { SYSTEM_CLOCK } from './process/clock.ts';
import type { Log } from './process/log.ts';
import { runApp } from './process/run-app.ts';
import { Routing } from './routing/routing.ts';
import { routingLog } from './routing/routing-log.ts';

/** Own API server, coordination cluster, channels and routing: what is wrong with any of them refuses the start. */
function connectAll(config: Config, metrics: Metrics, log: Log) {
	const own = connectKube(config, metrics, log);
	if ('problem' in own) return own;
	const shared =
		config.lockKubeconfig === undefined
			? undefined
			: connectCoordination(config.lockKubeconfig, config.requestTimeoutMs, metrics.kube);
	if (shared !== undefined && 'problem' in shared) return shared;
	const channels = createChannels(config, {
		log,
		clock: own.clock,
		target: targetOptions(config),
		sendTimeoutMs: config.sendTimeoutMs,
	});
	const routing = new Routing(config.routingFile, {
		missingKey: (channel) => (channels[channel].receiver() === undefined ? channels[channel].key : undefined),
		observer: allOf(metrics.routing, routingLog(log)),
		clock: SYSTEM_CLOCK,
	});
	if (routing.problem !== undefined) return { problem: `ROUTING_FILE: ${routing.problem}` };
	return {
		...own,
		shared,
		channels,
		routing,
		async close() {
			routing.stop();
			await closeChannels(channels);
			await shared?.close();
			await own.close();
		},
	};
}

function lockingOf(
	config: Config,
	own: CoordinationConnection,
	shared: CoordinationConnection | undefined,
	namespace: string,
) {
	if (!config.useDistributedLocking) return undefined;
	const { kube, clock } = shared ?? own;
	const { keyTemplate } = config;
	return { kube, clock, namespace: config.lockNamespace ?? namespace, isShared: shared !== undefined, keyTemplate };
}

await runApp({
	configKeys: CONFIG_KEYS,
	loadConfig: loadAppConfig,
	createMetrics,
	connect: connectAll,
	start({ config, identity, log, metrics, connection }) {
		const { kube, clock, shared, channels, routing } = connection;
		const service = startNotificationService({
			kube,
			clock,
			podName: identity.podName,
			podNamespace: identity.podNamespace,
			namespace: config.resourceNamespace ?? identity.podNamespace,
			locking: lockingOf(config, connection, shared, identity.podNamespace),
			leaseDurationMs: config.leaseDurationMs,
			requestTimeoutMs: config.requestTimeoutMs,
			sendTimeoutMs: config.sendTimeoutMs,
			claimTimeoutMs: config.claimTimeoutMs,
			onLockUnavailable: config.onLockUnavailable,
			atMostOnce: config.atMostOnce ?? [],
			paceMs: {
				slack: config.paceSlackMs,
				email: config.paceEmailMs,
				webhook: config.paceWebhookMs,
				console: 0,
				file: 0,
				log: 0,
			},
			lineWidth: config.lineWidth,
			retentionMs: config.retentionMs,
			turnMs: config.turnMs,
			concurrency: config.concurrency,
			channels,
			messageOf,
			routing,
			observer: {
				lock: allOf(metrics.lock, lockLog(log)),
				queue: allOf(metrics.queue, controllerLog(log)),
				deliveries: allOf(metrics.deliveries, deliveryLog(log)),
				syncChanged: logSync(log),
			},
		});
		return {
			checks: [...service.checks, () => routing.check()],
			stopSteps: [{ name: 'deliveries and locks', run: () => service.stop(config.requestTimeoutMs) }],
			listeners: [],
		};
	},
});
