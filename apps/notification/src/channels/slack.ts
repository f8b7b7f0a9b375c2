// Slack's incoming webhooks. The URL is the credential.
import { slackMessageOf } from '../message/slack-blocks.ts';
import { configKey } from '../process/config-loader.ts';
import { text } from '../process/config-values.ts';
import { channelRow, credentialsInvalid, notSetUp } from './channel.ts';
import { httpEnd } from './target/http-end.ts';
import { type HttpAnswer, post } from './target/http-post.ts';
import { secretUrlFile } from './target/secret-url.ts';

const KEY = 'SLACK_WEBHOOK_URL_FILE';

/** Slack's words for a refusal; others are not shown, because an answer may hold anything. */
const WORDS: ReadonlySet<string> = new Set([
	'action_prohibited',
	'channel_is_archived',
	'channel_not_found',
	'invalid_blocks',
	'invalid_payload',
	'invalid_token',
	'message_limit_exceeded',
	'no_active_hooks',
	'no_service',
	'no_service_id',
	'no_team',
	'no_text',
	'posting_to_general_channel_denied',
	'rate_limited',
	'rollup_error',
	'team_disabled',
	'too_many_attachments',
	'user_not_found',
]);

export const SLACK = channelRow({
	keys: {
		slackWebhookUrlFile: configKey({
			path: 'channels.slack.webhook_url_file',
			env: KEY,
			value: text,
			default: undefined,
			help: "Mounted file with the URL of Slack's incoming webhook; without it the channel slack is not set up.",
		}),
	},
	problems({ slackWebhookUrlFile }) {
		if (slackWebhookUrlFile === undefined) return [];
		const url = secretUrlFile(slackWebhookUrlFile).read();
		return 'problem' in url ? [`${KEY}: ${url.problem}`] : [];
	},
	create({ slackWebhookUrlFile }, { target, clock }) {
		const file = slackWebhookUrlFile === undefined ? undefined : secretUrlFile(slackWebhookUrlFile);
		return {
			name: 'slack',
			key: KEY,
			receiver() {
				if (file === undefined) return undefined;
				const url = file.read();
				return 'problem' in url ? 'slack' : workspaceOf(url.value);
			},
			async send(message, { abort }) {
				if (file === undefined) return notSetUp(KEY);
				const url = file.read();
				if ('problem' in url) return credentialsInvalid(KEY, url.problem);
				const body = JSON.stringify(slackMessageOf(message));
				const headers = { 'content-type': 'application/json; charset=utf-8' };
				const posted = await post({ url: url.value, headers, body }, target, abort);
				return httpEnd(posted, clock.wallTime(), { delivered: isOk, word: wordOf });
			},
		};
	},
});

/** Slack limits a workspace, whatever the channel of a webhook is. Its id is the first part of the path, and no secret. */
function workspaceOf({ host, pathname }: URL): string {
	const workspace = /^\/services\/([A-Z0-9]{1,32})\//.exec(pathname)?.[1];
	return workspace === undefined ? host : `${host}/${workspace}`;
}

function isOk({ status, body }: HttpAnswer): boolean {
	return status === 200 && body.trim() === 'ok';
}

function wordOf({ body }: HttpAnswer): string | undefined {
	const word = body.trim();
	return WORDS.has(word) ? word : undefined;
}
