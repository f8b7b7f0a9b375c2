// The command line, the same in every app: the configuration file, single keys, and help.
import { parseArgs } from 'node:util';
import { APP } from '../app.ts';
import { type ConfigKeys, describeKeys } from './config-loader.ts';

export type CommandLine =
	/** `settings` have the names of the environment, and take precedence over it. */
	{ configFile: string | undefined; settings: Record<string, string> } | { print: string; exitCode: number };

export function parseCommandLine(args: readonly string[], keys: ConfigKeys): CommandLine {
	const flags = new Map(Object.values(keys).map(({ env }) => [flagOf(env), env]));
	try {
		const options = Object.fromEntries([...flags.keys()].map((flag) => [flag, { type: 'string' } as const]));
		const { values } = parseArgs({
			args: [...args],
			options: { ...options, config: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
			strict: true,
		});
		const { config, help, ...settings } = values;
		if (help) return { print: helpText(keys), exitCode: 0 };
		const named = Object.entries(settings).map(([flag, value]) => [flags.get(flag), value]);
		return { configFile: config, settings: Object.fromEntries(named) as Record<string, string> };
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		return { print: `${message}\nRun ${APP.name} --help for all options.`, exitCode: 2 };
	}
}

/** --log-level for LOG_LEVEL. */
function flagOf(env: string): string {
	return env.toLowerCase().replaceAll('_', '-');
}

function helpText(keys: ConfigKeys): string {
	return [
		`kubernaut ${APP.name}`,
		APP.summary,
		'',
		`Usage: ${APP.name} [--config FILE] [--KEY=VALUE ...] [--help]`,
		'',
		'  --config FILE   YAML with the keys of the second column; the environment takes precedence',
		'  --KEY=VALUE     a key of the first column with dashes, for example --log-level=debug; takes precedence over both',
		'  --help          this page',
		'',
		'Configuration:',
		describeKeys(keys),
		'',
		'Exit codes: 0 stopped by a signal, 1 failed, 2 wrong command line or configuration.',
	].join('\n');
}
