import type { ChannelName } from '../../objects/notification.ts';

/** Channels whose receivers are outside: only they are locked. */
export const EXTERNAL_CHANNELS: readonly ChannelName[] = ['slack', 'email', 'webhook'];
