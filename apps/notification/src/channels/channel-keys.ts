// The configuration keys of the channels, and those that all receivers share.

import { type MountedFile, mountedFile } from '../mounted/mounted-file.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import { type ConfigOf, configKey } from '../process/config-loader.ts';
import { text } from '../process/config-values.ts';
import type { ChannelName } from './channel.ts';
import { ALL_CHANNEL_KEYS, channelProblems, createChannels, missingChannelKey } from './channels.ts';
import type { TargetOptions } from './target/connect-target.ts';
import { addressPolicy, networkList } from './target/target-address.ts';

const CA_KEY = 'TARGETS_CA_FILE';

export const CHANNEL_CONFIG_KEYS = {
	targetsAllowedNetworks: configKey({
		path: 'targets.allowed_networks',
		env: 'TARGETS_ALLOWED_NETWORKS',
		value: networkList,
		default: undefined,
		help: 'Private, loopback and link-local networks that receivers may be in; all of them are refused when absent.',
	}),
	targetsCaFile: configKey({
		path: 'targets.ca_file',
		env: CA_KEY,
		value: text,
		default: undefined,
		help: 'Mounted file with certificates of authorities, as PEM, that are trusted for receivers besides the public ones.',
	}),
	...ALL_CHANNEL_KEYS,
} as const;

export type ChannelConfig = ConfigOf<typeof CHANNEL_CONFIG_KEYS>;

/** A sentence for each mistake, with the key, the value and what is allowed. */
export function impossibleChannelConfig(config: ChannelConfig): string[] {
	const ca = config.targetsCaFile === undefined ? undefined : caFile(config.targetsCaFile).read();
	return [...(ca !== undefined && 'problem' in ca ? [`${CA_KEY}: ${ca.problem}`] : []), ...channelProblems(config)];
}

/** The key that a channel lacks with this configuration. Nothing is connected to for it. */
export function missingKeyWith(config: ChannelConfig): (channel: ChannelName) => string | undefined {
	const nothing = () => {};
	const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
	const parts = { log, clock: SYSTEM_CLOCK, target: targetOptions(config), sendTimeoutMs: 1 };
	return missingChannelKey(createChannels(config, parts));
}

/** A CA file that became unreadable counts as none: connections then fail, and say so. */
export function targetOptions({ targetsAllowedNetworks, targetsCaFile }: ChannelConfig): TargetOptions {
	const file = targetsCaFile === undefined ? undefined : caFile(targetsCaFile);
	return {
		isAllowed: addressPolicy(targetsAllowedNetworks ?? []),
		ca() {
			const ca = file?.read();
			return ca === undefined || 'problem' in ca ? undefined : ca.value;
		},
	};
}

function caFile(path: string): MountedFile<string> {
	return mountedFile(path, (content) =>
		content.includes('-----BEGIN CERTIFICATE-----') ? { value: content } : { problem: 'holds no certificate in PEM' },
	);
}
