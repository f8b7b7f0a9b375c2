// Receivers in the process of the test.
import type { ReceiverSet } from '@kubernaut/receivers';
import { arrivalsAt } from '../judging/arrivals.ts';
import type { Receivers } from '../platform.ts';

export function receiversOf({ slack, mail, webhook }: ReceiverSet): Receivers {
	return {
		received: async () => arrivalsAt({ slack: slack.received, mail: mail.received, webhook: webhook.received }),
		async holdWebhook(hold) {
			webhook.behave(hold ? 'hang' : { status: 204 });
		},
	};
}
