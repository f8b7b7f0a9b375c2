// Puts the orchestrator together and runs it until a signal stops it.
import { decisionLog, logPause, workflowLog } from './act/decision-log.ts';
import { CONFIG_KEYS, loadAppConfig } from './config.ts';
import { controllerLog } from './controller/controller-log.ts';
import { lockLog } from './distributed-lock.ts';
import { connectKube } from './kube/connect-kube.ts';
import { logSync } from './kube/list-watch.ts';
import { createMetrics } from './metrics.ts';
import { startOrchestrator } from './orchestrator.ts';
import { allOf } from './process/all-observers.ts';
import { runApp } from './process/run-app.ts';

await runApp({
	configKeys: CONFIG_KEYS,
	loadConfig: loadAppConfig,
	createMetrics,
	connect: connectKube,
	start({ config, identity, log, metrics, connection: { kube, clock } }) {
		const orchestrator = startOrchestrator({
			kube,
			clock,
			podName: identity.podName,
			lockNamespace: identity.podNamespace,
			namespace: config.resourceNamespace ?? identity.podNamespace,
			leaseDurationMs: config.leaseDurationMs,
			requestTimeoutMs: config.requestTimeoutMs,
			turnMs: config.turnMs,
			concurrency: config.concurrency,
			pauseConfigMap: config.pauseConfigMap,
			channels: config.channels,
			decisions: {
				...config,
				cancelResolved: config.cancelResolved === 'on',
				approverVerified: config.approverVerified === 'on',
				timeoutMs: config.executionTimeoutMs,
			},
			observer: {
				lock: allOf(metrics.lock, lockLog(log)),
				queue: allOf(metrics.queue, controllerLog(log)),
				decisions: allOf(metrics.decisions, decisionLog(log)),
				workflows: allOf(metrics.workflows, workflowLog(log)),
				syncChanged: logSync(log),
				pauseChanged(change) {
					metrics.pauseChanged(change);
					logPause(log)(change);
				},
			},
		});
		return {
			checks: orchestrator.checks,
			stopSteps: [{ name: 'controller and locks', run: () => orchestrator.stop(config.requestTimeoutMs) }],
			listeners: [],
		};
	},
});
