// Every key that this app reads, and the relations between them.
import { CHANNEL_CONFIG_KEYS, impossibleChannelConfig, missingKeyWith } from './channels/channel-keys.ts';
import { DELIVERY_KEYS, impossibleDeliveryRelations } from './decide/delivery-keys.ts';
import { lockProblem } from './distributed-lock.ts';
import { type ConfigOf, type Environment, type Loaded, loadConfig } from './process/config-loader.ts';
import { impossibleProcessRelations, PROCESS_CONFIG_KEYS } from './process/process-config.ts';
import { impossibleRouting, ROUTING_KEYS } from './routing/routing-keys.ts';

export const CONFIG_KEYS = {
	...PROCESS_CONFIG_KEYS,
	...DELIVERY_KEYS,
	...CHANNEL_CONFIG_KEYS,
	...ROUTING_KEYS,
} as const;

export type Config = ConfigOf<typeof CONFIG_KEYS>;

export function loadAppConfig(file: string | undefined, environment: Environment): Loaded<Config> {
	return loadConfig(CONFIG_KEYS, file, environment, (config) => [
		...impossibleProcessRelations(config),
		...impossibleDeliveryRelations(config),
		...impossibleLockRelations(config),
		...impossibleChannelConfig(config),
		...impossibleRouting(config, missingKeyWith(config)),
	]);
}

function impossibleLockRelations({ leaseDurationMs, requestTimeoutMs }: Config): string[] {
	const problem = lockProblem({ leaseDurationMs, requestTimeoutMs });
	return problem === undefined ? [] : [`LOCK_LEASE_DURATION and KUBERNETES_REQUEST_TIMEOUT: ${problem}`];
}
