// A message as JSON, for programs: webhook, file and log. A field is added without notice; one that changes or goes raises
// the version. The same message gives the same bytes at every attempt, as receivers that compare them expect.
import type { Message } from './message.ts';

export const MESSAGE_VERSION = '1';

export type MessageJson = {
	readonly version: typeof MESSAGE_VERSION;
	readonly type: `notification.${string}`;
	/** When the notification was requested. */
	readonly timestamp: string;
	readonly data: Omit<Message, 'createdAt'>;
};

export function messageJsonOf({ createdAt, ...data }: Message): MessageJson {
	return {
		version: MESSAGE_VERSION,
		type: `notification.${data.type.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}`,
		timestamp: createdAt,
		data,
	};
}
