// The command line, the same in every app: where the configuration is, single keys of it, and help.
import { parseArgs } from 'node:util';
import { APP } from '../app.ts';
import { CONFIG_KEYS } from '../config.ts';
import { describeKeys } from './config-loader.ts';

export type CommandLine =
	/** `settings` are named like the environment, and win over it. */
	{ configFile: string | undefined; settings: Record<string, string> } | { print: string; exitCode: number };

/** --log-level for LOG_LEVEL. */
const FLAGS = new Map(Object.values(CONFIG_KEYS).map(({ env }) => [env.toLowerCase().replaceAll('_', '-'), env]));

export function parseCommandLine(args: readonly string[]): CommandLine {
	try {
		const keys = Object.fromEntries([...FLAGS.keys()].map((flag) => [flag, { type: 'string' } as const]));
		const { values } = parseArgs({
			args: [...args],
			options: { ...keys, config: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
			strict: true,
		});
		const { config, help, ...settings } = values;
		if (help) return { print: helpText(), exitCode: 0 };
		const named = Object.entries(settings).map(([flag, value]) => [FLAGS.get(flag), value]);
		return { configFile: config, settings: Object.fromEntries(named) as Record<string, string> };
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		return { print: `${message}\nRun ${APP.name} --help for what there is.`, exitCode: 2 };
	}
}

function helpText(): string {
	return [
		`kubernaut ${APP.name}`,
		APP.summary,
		'',
		`Usage: ${APP.name} [--config FILE] [--KEY=VALUE ...] [--help]`,
		'',
		'  --config FILE   YAML with the keys of the second column; the environment wins over it',
		'  --KEY=VALUE     a key of the first column with dashes, for example --log-level=debug; wins over both',
		'  --help          this page',
		'',
		'Configuration:',
		describeKeys(CONFIG_KEYS),
		'',
		'Exit codes: 0 stopped by a signal, 1 failed, 2 wrong command line or configuration.',
	].join('\n');
}
