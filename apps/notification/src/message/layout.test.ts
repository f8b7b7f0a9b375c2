import { describe, expect, it } from 'vitest';
import { mailContentOf } from './mail-content.ts';
import type { Message } from './message.ts';
import { messageJsonOf } from './message-json.ts';
import { messageOf } from './message-of.ts';
import { bodyUpTo, cut, factsOf, onOneLine, plainTextOf, withoutControls } from './plain-text.ts';
import { slackMessageOf } from './slack-blocks.ts';

const MESSAGE: Message = {
	uid: 'u-1',
	namespace: 'kubernaut-system',
	name: 'nr-1',
	createdAt: '2026-11-18T10:00:00Z',
	type: 'ManualReview',
	priority: 'High',
	subject: 'Approval needed: HighMemory on shop/Deployment/cart',
	body: 'Why: someone must say yes',
	context: { severity: 'warning', signalName: 'HighMemory', workflow: 'restart', firingTime: '2026-11-18T09:59:00Z' },
};

describe('text for people', () => {
	it.each([
		['line breaks become line feeds', 'a\r\nb\rc', 'a\nb\nc'],
		['escape sequences lose what makes them work', 'a\u001b[31mb', 'a[31mb'],
		['characters that turn or hide text are gone', 'a\u202eb\u200bc\u2066d\ufeffe', 'abcde'],
		['tabs, umlauts and emoji stay', 'a\tü🙂世', 'a\tü🙂世'],
	])('%s', (_what, text, want) => expect(withoutControls(text)).toBe(want));

	it('one line is one line', () => expect(onOneLine(' a\r\n b\t\tc ')).toBe('a b c'));

	it.each([
		['abc', 3, 'abc'],
		['abcd', 3, 'ab…'],
		['a🙂bc', 4, 'a🙂…'],
		['a🙂bc', 3, 'a…'],
	])('%j cut to %i', (text, max, want) => {
		expect(cut(text, max)).toBe(want);
		expect(cut(text, max).isWellFormed()).toBe(true);
	});

	it('facts leave out what is not known, and are one line each', () => {
		expect(factsOf({ ...MESSAGE, context: { severity: 'a\nb', workflow: '' } })).toEqual([
			['Priority', 'High (ManualReview)'],
			['Severity', 'a b'],
		]);
	});

	it('has the body, the facts and where it comes from', () => {
		expect(plainTextOf(MESSAGE)).toBe(
			[
				'Why: someone must say yes',
				'',
				'Priority: High (ManualReview)',
				'Severity: warning',
				'Signal: HighMemory',
				'Workflow: restart',
				'Firing since: 2026-11-18T09:59:00Z',
				'Notification: kubernaut-system/nr-1',
			].join('\n'),
		);
	});

	it('a body that is too long ends with the command that shows the rest', () => {
		const text = bodyUpTo({ ...MESSAGE, body: 'x'.repeat(500) }, 200);
		expect(text).toHaveLength(200);
		expect(text).toMatch(
			/^x+\n… cut here\. The rest: kubectl get notificationrequest nr-1 -n kubernaut-system -o yaml$/,
		);
	});
});

describe('Block Kit', () => {
	it.each(['\u0007', ' ', '\n\n', '\u202e\u200b'])('has words where a text is empty without %j', (empty) => {
		const { text, blocks } = slackMessageOf({ ...MESSAGE, subject: empty, body: empty });
		expect(text).toBe('(no subject)');
		expect(JSON.stringify(blocks)).toContain('(no text)');
		expect(JSON.stringify(blocks)).not.toContain('"text":""');
	});

	const texts = (value: unknown): string[] =>
		typeof value === 'object' && value !== null
			? Object.entries(value).flatMap(([key, inner]) =>
					key === 'text' && typeof inner === 'string' ? [inner] : texts(inner),
				)
			: [];

	it('has header, body, facts and origin', () => {
		expect(slackMessageOf(MESSAGE)).toEqual({
			text: MESSAGE.subject,
			blocks: [
				{ type: 'header', text: { type: 'plain_text', text: MESSAGE.subject, emoji: false } },
				{ type: 'section', text: { type: 'mrkdwn', text: MESSAGE.body, verbatim: true } },
				{
					type: 'section',
					fields: [
						'*Priority*\nHigh (ManualReview)',
						'*Severity*\nwarning',
						'*Signal*\nHighMemory',
						'*Workflow*\nrestart',
						'*Firing since*\n2026-11-18T09:59:00Z',
					].map((text) => ({ type: 'mrkdwn', text, verbatim: true })),
				},
				{ type: 'context', elements: [{ type: 'mrkdwn', text: 'kubernaut-system/nr-1', verbatim: true }] },
			],
		});
	});

	it('escapes &, < and > in every text, so that an alert cannot notify a channel', () => {
		const evil = '<!channel> & <@U1>';
		const message = slackMessageOf({
			...MESSAGE,
			subject: evil,
			body: evil,
			context: {
				severity: evil,
				signalName: evil,
				targetResource: evil,
				workflow: evil,
				execution: evil,
				outcome: evil,
			},
		});
		for (const text of texts(message)) expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
		expect(message.text).toBe('&lt;!channel&gt; &amp; &lt;@U1&gt;');
	});

	it.each(['x', '<', '&', '🙂'])('stays below the limits of Slack with texts of %j', (character) => {
		const long = character.repeat(5000);
		const { text, blocks } = slackMessageOf({
			...MESSAGE,
			subject: long,
			body: long,
			context: { severity: long, signalName: long, targetResource: long },
		});
		expect(text.length).toBeLessThanOrEqual(150);
		const [header, section, fields] = blocks;
		expect(texts(header)[0]?.length).toBeLessThanOrEqual(150);
		expect(texts(section)[0]?.length).toBeLessThanOrEqual(3000);
		expect(texts(section)[0]).toContain('The rest: kubectl get notificationrequest nr-1');
		for (const field of texts(fields)) expect(field.length).toBeLessThanOrEqual(2000);
		for (const one of texts(blocks)) {
			expect(one.isWellFormed()).toBe(true);
			expect(one).not.toMatch(/&(?!amp;|lt;|gt;)/);
		}
	});
});

describe('mail', () => {
	it('has a subject of one line and bounded length', () => {
		expect(mailContentOf({ ...MESSAGE, subject: `a\r\nBcc: b\n${'x'.repeat(500)}` }).subject).toMatch(
			/^\[High\] a Bcc: b x+…$/,
		);
		expect(mailContentOf({ ...MESSAGE, subject: 'x'.repeat(500) }).subject).toHaveLength(250);
	});

	it('escapes every text of its HTML', () => {
		const evil = `<img src=x onerror="alert('1')"> & more`;
		const { html } = mailContentOf({ ...MESSAGE, subject: evil, body: evil, context: { severity: evil } });
		expect(html).not.toContain('<img');
		expect(html.match(/&lt;img src=x onerror=&quot;alert\(&#39;1&#39;\)&quot;&gt; &amp; more/g)).toHaveLength(3);
	});
});

describe('JSON', () => {
	it('has a version, a type and the whole message', () => {
		const { createdAt, ...data } = MESSAGE;
		expect(messageJsonOf(MESSAGE)).toEqual({
			version: '1',
			type: 'notification.manual-review',
			timestamp: createdAt,
			data,
		});
	});
});

describe('messageOf', () => {
	it('takes what a NotificationRequest has, sanitised', () => {
		expect(
			messageOf({
				metadata: { uid: 'u', namespace: 'n', name: 'nr', creationTimestamp: 't' },
				spec: {
					type: 'Completion',
					priority: 'Low',
					subject: 'password=abc',
					body: 'token: abcdef123',
					remediationRequestRef: { name: 'rr-1' },
					context: { chain: 3, outcome: 'Remediated', labels: { token: 'abc', team: 'shop' } },
				},
			}),
		).toEqual({
			uid: 'u',
			namespace: 'n',
			name: 'nr',
			createdAt: 't',
			request: 'rr-1',
			type: 'Completion',
			priority: 'Low',
			subject: 'password=[REDACTED]',
			body: 'token: [REDACTED]',
			context: { chain: 3, outcome: 'Remediated', labels: { token: '[REDACTED]', team: 'shop' } },
		});
	});

	it('takes one without context and without a request', () => {
		const message = messageOf({ metadata: {}, spec: { type: 'Completion', priority: 'Low', subject: 's', body: 'b' } });
		expect(message.context).toEqual({});
		expect(message).not.toHaveProperty('request');
	});
});
