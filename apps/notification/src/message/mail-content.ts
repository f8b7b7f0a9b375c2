// A message as mail: subject, text, and HTML in which every text is escaped. No value can add a header: subjects are one line.
import type { Message } from './message.ts';
import { cut, factsOf, onOneLine, plainTextOf, withoutControls } from './plain-text.ts';

/** Long enough for any mail client, short enough for every server once it is encoded. */
const MAX_SUBJECT = 250;

export type MailContent = { readonly subject: string; readonly text: string; readonly html: string };

export function mailContentOf(message: Message): MailContent {
	const subject = cut(`[${message.priority}] ${onOneLine(message.subject)}`, MAX_SUBJECT);
	return { subject, text: plainTextOf(message), html: htmlOf(message) };
}

function htmlOf(message: Message): string {
	const rows = [...factsOf(message), ['Notification', `${message.namespace}/${message.name}`] as const];
	return [
		'<!doctype html><html><body style="font-family:sans-serif">',
		`<h2>${escapeHtml(onOneLine(message.subject))}</h2>`,
		`<pre style="font-family:inherit;white-space:pre-wrap">${escapeHtml(withoutControls(message.body))}</pre>`,
		'<table>',
		...rows.map(([name, value]) => `<tr><th align="left">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`),
		'</table></body></html>',
	].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
