// What an app says about itself in code: its errors, configuration, metrics and log messages, and where it has them its
// Event reasons and subjects of notifications. Loaded from its sources at run time, so that neither side depends on the
// other's types.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type LogMessage, logCalls } from '../log-calls.ts';
import { exists, isTest, namesIn, readText, sourcesUnder } from '../tree.ts';

export type ConfigKeyFacts = {
	readonly env: string;
	readonly path: string;
	readonly default: string | undefined;
	readonly help: string;
	readonly value: { readonly allowed: string };
};
export type MetricFacts = {
	readonly name: string;
	readonly type: string;
	readonly help: string;
	readonly labelNames: readonly string[];
};
export type AppFacts = {
	readonly name: string;
	readonly errors: Readonly<Record<string, string>>;
	readonly configKeys: readonly ConfigKeyFacts[];
	readonly metrics: readonly MetricFacts[];
	readonly logMessages: readonly LogMessage[];
	readonly eventReasons: Readonly<Record<string, string>>;
	readonly notificationSubjects: Readonly<Record<string, string>>;
	/** How targets are found, where the app finds some. */
	readonly targets: readonly FactTable[];
};
export type FactTable = {
	readonly title: string;
	readonly head: readonly string[];
	readonly rows: readonly (readonly string[])[];
};

type CreateMetrics = () => { registry: { getMetricsAsArray(): MetricFacts[]; clear(): void } };

export async function loadApps(root: string): Promise<AppFacts[]> {
	const apps: AppFacts[] = [];
	for (const name of namesIn(root, 'apps').filter((app) => exists(root, `apps/${app}/src/main.ts`))) {
		const errors = await exported(root, name, 'errors.ts', 'ERROR_CODES');
		const keys = await exported(root, name, 'config.ts', 'CONFIG_KEYS');
		const createMetrics = await exported(root, name, 'metrics.ts', 'createMetrics');
		const { registry } = (createMetrics as CreateMetrics)();
		apps.push({
			name,
			errors: errors as AppFacts['errors'],
			configKeys: Object.values(keys as Record<string, ConfigKeyFacts>),
			metrics: registry.getMetricsAsArray().map(({ name: metric, type, help, labelNames }) => ({
				name: metric,
				type,
				help,
				labelNames,
			})),
			logMessages: logMessages(root, name),
			eventReasons: (await ifAny(root, name, 'EVENT_REASONS', {})) as Record<string, string>,
			notificationSubjects: (await ifAny(root, name, 'NOTIFICATION_SUBJECTS', {})) as Record<string, string>,
			targets: (await ifAny(root, name, 'TARGET_FACTS', [])) as readonly FactTable[],
		});
		registry.clear();
	}
	return apps;
}

function sourcesOf(root: string, app: string): string[] {
	return sourcesUnder(root, `apps/${app}/src`).filter((path) => !isTest(path));
}

function logMessages(root: string, app: string): LogMessage[] {
	return sourcesOf(root, app).flatMap((path) =>
		logCalls(readText(root, path)).flatMap((call) => ('messages' in call ? call.messages : [])),
	);
}

/** A table that only some apps have, in whichever file exports it. */
async function ifAny(root: string, app: string, name: string, otherwise: unknown): Promise<unknown> {
	const path = sourcesOf(root, app).find((file) => readText(root, file).includes(`export const ${name}`));
	return path === undefined ? otherwise : exported(root, app, path.slice(`apps/${app}/src/`.length), name);
}

async function exported(root: string, app: string, file: string, name: string): Promise<unknown> {
	const path = `apps/${app}/src/${file}`;
	const module = (await import(pathToFileURL(join(root, path)).href)) as Record<string, unknown>;
	if (module[name] === undefined) throw new Error(`${path} exports no ${name}: the docs are made from it`);
	return module[name];
}
