// Runs an app as a process: command line, configuration, identity, log, health and metrics servers, shutdown.
// The way to the API server and the app's own parts are passed in: nothing here knows Kubernetes.
import { APP } from '../app.ts';
import { parseCommandLine } from './command-line.ts';
import type { ConfigKeys, Environment, Loaded } from './config-loader.ts';
import { type Check, createHealthServer, createMetricsServer, type Listener, tryListen } from './health-server.ts';
import { type Identity, identify } from './identity.ts';
import type { Log } from './log.ts';
import { createLogger } from './logger.ts';
import type { ProcessConfig } from './process-config.ts';
import type { ProcessMetrics } from './process-metrics.ts';
import { type ShutdownStep, shutDownOnSignals } from './shutdown.ts';

/** What every app is connected to, as far as a process must know it. */
export type Connection = { readonly server: string; check(): Check; close(): Promise<unknown> };

export type AppContext<Config, Metrics, Connected> = {
	readonly config: Config;
	readonly identity: Identity;
	readonly log: Log;
	readonly metrics: Metrics;
	readonly connection: Connected;
	isDraining(): boolean;
};

/** What an app adds to the process. */
export type AppParts = {
	readonly checks: readonly (() => Check)[];
	/** Before the servers and the connection are closed. */
	readonly stopSteps: readonly ShutdownStep[];
	readonly listeners: readonly Listener[];
};

export type AppDefinition<Config, Metrics, Connected> = {
	readonly configKeys: ConfigKeys;
	readonly loadConfig: (file: string | undefined, environment: Environment) => Loaded<Config>;
	readonly createMetrics: () => Metrics;
	readonly connect: (config: Config, metrics: Metrics, log: Log) => Connected | { readonly problem: string };
	readonly start?: (context: AppContext<Config, Metrics, Connected>) => AppParts | Promise<AppParts>;
};

const ALL_ADDRESSES = '0.0.0.0';
const NO_PARTS: AppParts = { checks: [], stopSteps: [], listeners: [] };

/** Exits with 2 when the command line, the configuration or a port does not allow a start. */
export async function runApp<
	Config extends ProcessConfig,
	Metrics extends ProcessMetrics,
	Connected extends Connection,
>(app: AppDefinition<Config, Metrics, Connected>): Promise<void> {
	const commandLine = parseCommandLine(process.argv.slice(2), app.configKeys);
	if ('print' in commandLine) {
		(commandLine.exitCode === 0 ? process.stdout : process.stderr).write(`${commandLine.print}\n`);
		process.exit(commandLine.exitCode);
	}
	const loaded = app.loadConfig(commandLine.configFile, { ...process.env, ...commandLine.settings });
	if ('problems' in loaded) refuseToStart(loaded.problems);
	const { config } = loaded;
	const identity = identify(config, process.env);
	if ('problem' in identity) refuseToStart([identity.problem]);

	const metrics = app.createMetrics();
	const log = createLogger(config.logLevel, identity.podName, () => metrics.logLineDropped());
	const connection = app.connect(config, metrics, log);
	if ('problem' in connection) refuseToStart([connection.problem]);
	if (identity.warning !== undefined) log.warn({ warning: identity.warning }, 'identity was guessed');

	let draining = false;
	const isDraining = () => draining;
	const parts = (await app.start?.({ config, identity, log, metrics, connection, isDraining })) ?? NO_PARTS;
	const checks = () => [
		connection.check(),
		...parts.checks.map((check) => check()),
		{ name: 'shutdown', ok: !draining, message: draining ? 'draining' : 'not requested' },
	];
	const health = createHealthServer({ checks });
	const metricsServer = createMetricsServer(metrics.registry, () => metrics.ready(checks().every(({ ok }) => ok)));
	shutDownOnSignals({
		drainMs: config.shutdownDrainMs,
		graceMs: config.shutdownGraceMs,
		startDraining: () => void (draining = true),
		steps: [
			...parts.stopSteps,
			{ name: 'health server', run: () => health.close() },
			{ name: 'metrics server', run: () => metricsServer.close() },
			{ name: 'kubernetes connections', run: () => connection.close() },
		],
		observer: {
			draining: (detail) => log.info({ detail }, 'draining'),
			stopped: (detail) => log.info({ detail }, 'stopped'),
			forced: (detail) => log.error({ detail }, 'shutdown forced'),
		},
	});

	const listeners: readonly Listener[] = [
		{ key: 'HEALTH_PORT', port: config.healthPort, listen: (host, port) => health.listen({ host, port }) },
		{ key: 'METRICS_PORT', port: config.metricsPort, listen: (host, port) => metricsServer.listen({ host, port }) },
		...parts.listeners,
	];
	const problem = await tryListen(config.listenAddress ?? ALL_ADDRESSES, listeners);
	if (problem !== undefined) refuseToStart([problem]);
	const ports = Object.fromEntries(listeners.map(({ key, port }) => [key, port]));
	log.info({ ports, server: connection.server }, 'started');
}

function refuseToStart(problems: readonly string[]): never {
	process.stderr.write(`${APP.name} does not start:\n${problems.map((problem) => `  - ${problem}\n`).join('')}`);
	process.exit(2);
}
