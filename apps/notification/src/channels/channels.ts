// All channels, one row each. A further one is a value of the channels in the CRD, a file, and a row here: the compiler asks
// for the row as soon as the CRD has the value.
import type { ConfigOf } from '../process/config-loader.ts';
import type { Channel, ChannelName, ChannelParts, ChannelRow } from './channel.ts';
import { CONSOLE } from './console.ts';
import { EMAIL } from './email.ts';
import { FILE } from './file.ts';
import { LOG } from './log.ts';
import { SLACK } from './slack.ts';
import { WEBHOOK } from './webhook.ts';

export const CHANNELS = {
	slack: SLACK,
	email: EMAIL,
	webhook: WEBHOOK,
	console: CONSOLE,
	file: FILE,
	log: LOG,
	// biome-ignore lint: the keys of each row differ
} as const satisfies Readonly<Record<ChannelName, ChannelRow<any>>>;

type Rows = typeof CHANNELS;
type All<T> = (T extends unknown ? (each: T) => void : never) extends (all: infer A) => void ? A : never;
export type ChannelKeys = All<Rows[ChannelName]['keys']>;

// biome-ignore lint: see above
const ROWS = Object.entries(CHANNELS) as [ChannelName, ChannelRow<any>][];

/** The configuration keys of all rows. */
export const ALL_CHANNEL_KEYS = Object.assign({}, ...ROWS.map(([, { keys }]) => keys)) as ChannelKeys;

/** Also reads the mounted files: one that is missing is a mistake of the configuration. */
export function channelProblems(config: ConfigOf<ChannelKeys>): readonly string[] {
	return ROWS.flatMap(([, row]) => row.problems(config as never));
}

/** The key that a channel lacks; undefined when it is set up. */
export function missingChannelKey(channels: Channels): (name: ChannelName) => string | undefined {
	return (name) => (channels[name].receiver() === undefined ? channels[name].key : undefined);
}

export type Channels = Readonly<Record<ChannelName, Channel>>;

export function createChannels(config: ConfigOf<ChannelKeys>, parts: ChannelParts): Channels {
	return Object.fromEntries(ROWS.map(([name, row]) => [name, row.create(config as never, parts)])) as Channels;
}

export async function closeChannels(channels: Channels): Promise<void> {
	await Promise.all(Object.values(channels).map(async (channel) => channel.close?.()));
}
