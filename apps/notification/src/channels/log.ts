// One line in this app's own log. Delivered means handed to the log; a log that is not read drops lines and counts them.
import { messageJsonOf } from '../message/message-json.ts';
import { channelRow } from './channel.ts';

export const LOG = channelRow({
	keys: {},
	problems: () => [],
	create: (_config, { log }) => ({
		name: 'log',
		key: 'LOG_LEVEL',
		receiver: () => 'log',
		async send(message) {
			log.info({ notification: messageJsonOf(message) }, 'notification');
			return { end: 'delivered' };
		},
	}),
});
