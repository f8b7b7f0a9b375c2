// A message as Slack's Block Kit. Slack reads &, < and > as markup ("<!channel>" notifies everyone), so all three are escaped
// in every text; limits count what is sent, after escaping. `verbatim` keeps Slack from making links of names.
import type { Message } from './message.ts';
import { bodyUpTo, cut, factsOf, onOneLine } from './plain-text.ts';

const MAX_HEADER = 150;
const MAX_SECTION = 3000;
const MAX_FIELD = 2000;
const MAX_FIELDS = 10;

type Text = {
	readonly type: 'plain_text' | 'mrkdwn';
	readonly text: string;
	readonly verbatim?: true;
	readonly emoji?: false;
};
type Block =
	| { readonly type: 'header'; readonly text: Text }
	| { readonly type: 'section'; readonly text: Text }
	| { readonly type: 'section'; readonly fields: readonly Text[] }
	| { readonly type: 'context'; readonly elements: readonly Text[] };
export type SlackMessage = { readonly text: string; readonly blocks: readonly Block[] };

export function slackMessageOf(message: Message): SlackMessage {
	const subject = orWords(escapedUpTo(onOneLine(message.subject), MAX_HEADER), '(no subject)');
	const fields = factsOf(message)
		.slice(0, MAX_FIELDS)
		.map(([name, value]) => markdown(`*${name}*\n${escapedUpTo(value, MAX_FIELD - name.length - 3)}`));
	const body = escaped(bodyUpTo(message, MAX_SECTION, (text) => escaped(text).length));
	return {
		// Shown in notifications, and where blocks are not.
		text: subject,
		blocks: [
			{ type: 'header', text: { type: 'plain_text', text: subject, emoji: false } },
			{ type: 'section', text: markdown(orWords(body, '(no text)')) },
			{ type: 'section', fields },
			{ type: 'context', elements: [markdown(escaped(`${message.namespace}/${message.name}`))] },
		],
	};
}

/** Slack refuses a message with an empty text, for good. */
function orWords(text: string, words: string): string {
	return text.trim() === '' ? words : text;
}

function markdown(text: string): Text {
	return { type: 'mrkdwn', text, verbatim: true };
}

export function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Never half an entity. */
function escapedUpTo(text: string, max: number): string {
	let fitting = cut(text, max);
	while (escaped(fitting).length > max) fitting = cut(fitting, fitting.length - 1);
	return escaped(fitting);
}
