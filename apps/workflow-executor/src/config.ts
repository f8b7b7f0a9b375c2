// Every key that this app reads, and the relations between them.
import { EXECUTION_KEYS } from './decide/execution-keys.ts';
import { type ConfigOf, type Environment, type Loaded, loadConfig } from './process/config-loader.ts';
import { impossibleProcessRelations, PROCESS_CONFIG_KEYS } from './process/process-config.ts';

export const CONFIG_KEYS = { ...PROCESS_CONFIG_KEYS, ...EXECUTION_KEYS } as const;

export type Config = ConfigOf<typeof CONFIG_KEYS>;

export function loadAppConfig(file: string | undefined, environment: Environment): Loaded<Config> {
	return loadConfig(CONFIG_KEYS, file, environment, impossibleProcessRelations);
}
