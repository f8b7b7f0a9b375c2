// Puts the executor together and runs it until a signal stops it.
import { executorLog, lockLog } from './act/executor-log.ts';
import { CONFIG_KEYS, loadAppConfig } from './config.ts';
import { controllerLog } from './controller/controller-log.ts';
import { startExecutor } from './executor.ts';
import { connectKube } from './kube/connect-kube.ts';
import { logSync } from './kube/list-watch.ts';
import { createMetrics } from './metrics.ts';
import { allOf } from './process/all-observers.ts';
import { runApp } from './process/run-app.ts';

await runApp({
	configKeys: CONFIG_KEYS,
	loadConfig: loadAppConfig,
	createMetrics,
	connect: connectKube,
	start({ config, identity, log, metrics, connection: { kube, clock } }) {
		const executor = startExecutor({
			kube,
			clock,
			podName: identity.podName,
			podNamespace: identity.podNamespace,
			namespace: config.resourceNamespace ?? identity.podNamespace,
			executionNamespace: config.executionNamespace,
			cooldownMs: config.cooldownMs,
			orphanAfterMs: config.orphanAfterMs,
			turnMs: config.turnMs,
			concurrency: config.concurrency,
			policy: {
				serviceAccount: config.serviceAccount,
				serviceAccounts: config.serviceAccounts ?? [],
				allowPipelineSpec: config.allowPipelineSpec === 'on',
				bundleRegistries: config.bundleRegistries ?? [],
			},
			observer: {
				lock: allOf(metrics.lock, lockLog(log)),
				queue: allOf(metrics.queue, controllerLog(log)),
				executor: allOf(metrics.executor, executorLog(log)),
				syncChanged: logSync(log),
			},
		});
		return {
			checks: executor.checks,
			stopSteps: [{ name: 'controller', run: () => executor.stop() }],
			listeners: [],
		};
	},
});
