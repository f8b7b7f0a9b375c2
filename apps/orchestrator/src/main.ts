// Puts the app together and runs it until it is told to stop.
import { createBackoff } from '@kubernaut/backoff';
import { decisionLog } from './act/decision-log.ts';
import { APP } from './app.ts';
import { loadAppConfig } from './config.ts';
import { controllerLog } from './controller/controller-log.ts';
import { lockLog } from './distributed-lock.ts';
import { followApiReadiness } from './kube/api-readiness.ts';
import { createKubeClient, kubeConfigProblem, loadKubeConfig } from './kube/kube.ts';
import { createMetrics } from './metrics.ts';
import { startOrchestrator } from './orchestrator.ts';
import { allOf } from './process/all-observers.ts';
import { parseCommandLine } from './process/command-line.ts';
import { createHealthServer, createMetricsServer, tryListen } from './process/health-server.ts';
import { identify } from './process/identity.ts';
import { createLogger } from './process/logger.ts';
import { shutDownOnSignals } from './process/shutdown.ts';

const commandLine = parseCommandLine(process.argv.slice(2));
if ('print' in commandLine) {
	(commandLine.exitCode === 0 ? process.stdout : process.stderr).write(`${commandLine.print}\n`);
	process.exit(commandLine.exitCode);
}

const loaded = loadAppConfig(commandLine.configFile, { ...process.env, ...commandLine.settings });
if ('problems' in loaded) refuseToStart(loaded.problems);
const { config } = loaded;
const identity = identify(config, process.env);
if ('problem' in identity) refuseToStart([identity.problem]);

const noWayToApiServer = kubeConfigProblem(config.kubeconfig, process.env);
if (noWayToApiServer !== undefined) refuseToStart([noWayToApiServer]);

const log = createLogger(config.logLevel, identity.podName);
if (identity.warning !== undefined) log.warn({ warning: identity.warning }, 'identity was guessed');
const metrics = createMetrics();
const kube = createKubeClient(loadKubeConfig(config.kubeconfig), config.requestTimeoutMs, metrics.kube);
let draining = false;
const api = followApiReadiness(kube, APP.kinds, createBackoff({ basePeriodMs: 100, maxPeriodMs: 5000 }), (check) => {
	log[check.ok ? 'info' : 'warn']({ check: check.name, reason: check.message }, check.ok ? 'ready' : 'not ready');
});
const orchestrator = startOrchestrator({
	kube,
	podName: identity.podName,
	lockNamespace: identity.podNamespace,
	namespace: config.resourceNamespace ?? identity.podNamespace,
	leaseDurationMs: config.leaseDurationMs,
	requestTimeoutMs: config.requestTimeoutMs,
	turnMs: config.turnMs,
	concurrency: config.concurrency,
	pauseConfigMap: config.pauseConfigMap,
	channels: config.channels,
	decisions: { ...config, cancelResolved: config.cancelResolved === 'on', timeoutMs: config.executionTimeoutMs },
	observer: {
		lock: allOf(metrics.lock, lockLog(log)),
		queue: allOf(metrics.queue, controllerLog(log)),
		decisions: allOf(metrics.decisions, decisionLog(log)),
		syncChanged: (what, inSync, reason) =>
			log[inSync ? 'debug' : 'warn']({ what, reason }, inSync ? 'cache in sync' : 'cache out of sync'),
	},
});
const checks = () => [
	api.check(),
	orchestrator.check(),
	{ name: 'shutdown', ok: !draining, message: draining ? 'draining' : 'not asked for' },
];
const health = createHealthServer({ checks });
const metricsServer = createMetricsServer(metrics.registry, () => metrics.ready(checks().every(({ ok }) => ok)));
shutDownOnSignals({
	drainMs: config.shutdownDrainMs,
	graceMs: config.shutdownGraceMs,
	startDraining: () => void (draining = true),
	steps: [
		{ name: 'controller and locks', run: () => orchestrator.stop(config.requestTimeoutMs) },
		{ name: 'api readiness', run: async () => api.stop() },
		{ name: 'health server', run: () => health.close() },
		{ name: 'metrics server', run: () => metricsServer.close() },
		{ name: 'kubernetes connections', run: () => kube.close() },
	],
	tell: (event, detail) => log[event === 'forced' ? 'error' : 'info']({ detail }, event),
});

const cannotListen = await tryListen(config.listenAddress, [
	{ key: 'HEALTH_PORT', port: config.healthPort, listen: (host, port) => health.listen({ host, port }) },
	{ key: 'METRICS_PORT', port: config.metricsPort, listen: (host, port) => metricsServer.listen({ host, port }) },
]);
if (cannotListen !== undefined) refuseToStart([cannotListen]);
log.info({ healthPort: config.healthPort, metricsPort: config.metricsPort, server: kube.server }, 'started');

function refuseToStart(problems: readonly string[]): never {
	process.stderr.write(`${APP.name} does not start:\n${problems.map((problem) => `  - ${problem}\n`).join('')}`);
	process.exit(2);
}
