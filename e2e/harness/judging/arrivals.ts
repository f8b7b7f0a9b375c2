// Which notification a received message is about: each channel says it in its own form.
import type { ReceivedHttp, ReceivedMail } from '@kubernaut/receivers';
import type { Arrival, Channel } from '../platform.ts';

export type Recorded = {
	readonly slack: readonly Pick<ReceivedHttp, 'at' | 'body'>[];
	readonly mail: readonly Pick<ReceivedMail, 'at' | 'text'>[];
	readonly webhook: readonly Pick<ReceivedHttp, 'at' | 'body'>[];
};

export function arrivalsAt({ slack, mail, webhook }: Recorded): Record<Channel, Arrival[]> {
	return {
		slack: slack.map(({ at, body }) => ({
			at,
			name: nameAfterSlash(JSON.parse(body).blocks.at(-1).elements[0].text as string),
		})),
		mail: mail.map(({ at, text }) => ({
			at,
			name: nameAfterSlash(/^Notification: (\S+)$/m.exec(text)?.[1] ?? ''),
		})),
		webhook: webhook.map(({ at, body }) => ({ at, name: JSON.parse(body).data.name as string })),
	};
}

function nameAfterSlash(text: string): string {
	return text.slice(text.indexOf('/') + 1);
}
