import { describe, expect, it } from 'vitest';
import { channelsFor, LOG_ONLY, parseRouting, type Routed } from './routing-rules.ts';

const FILE = `
rules:
  - match: { type: Escalation, priority: [Critical, High], labels: { team: [shop, pay], env: prod } }
    channels: [slack, email]
  - match: { cause: [awaiting-approval, configuration-error] }
    channels: [email]
  - match: { severity: warning }
    channels: webhook
  - channels: [log]
`;
function rulesOf(text: string) {
	const parsed = parseRouting(text);
	if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
	return parsed.rules;
}
function problemsOf(text: string, missing: Readonly<Record<string, string>> = {}) {
	const parsed = parseRouting(text, (channel) => missing[channel]);
	return 'problems' in parsed ? parsed.problems : [];
}

describe('routing', () => {
	const escalation = { type: 'Escalation', priority: 'Critical' };
	it.each<[string, Routed, string[]]>([
		['all conditions hold', { ...escalation, context: { labels: { team: 'shop', env: 'prod' } } }, ['slack', 'email']],
		[
			'another value of the list',
			{ ...escalation, priority: 'High', context: { labels: { team: 'pay', env: 'prod' } } },
			['slack', 'email'],
		],
		['one label differs', { ...escalation, context: { labels: { team: 'shop', env: 'test' } } }, ['log']],
		['a label is missing', { ...escalation, context: { labels: { team: 'shop' } } }, ['log']],
		['no context at all', escalation, ['log']],
		['by cause', { type: 'ManualReview', priority: 'High', context: { cause: 'awaiting-approval' } }, ['email']],
		[
			'the first match decides',
			{ type: 'ManualReview', priority: 'High', context: { cause: 'configuration-error', severity: 'warning' } },
			['email'],
		],
		['by severity', { type: 'Completion', priority: 'Low', context: { severity: 'warning' } }, ['webhook']],
		['nothing matches', { type: 'Completion', priority: 'Low', context: { severity: 'info' } }, ['log']],
		['names of the prototype are no labels', { ...escalation, context: { labels: {} } }, ['log']],
	])('%s', (_what, message, want) => expect(channelsFor(rulesOf(FILE), message)).toEqual(want));

	it('without a file everything goes to log', () => expect(channelsFor(LOG_ONLY, escalation)).toEqual(['log']));
});

describe('a routing file', () => {
	it.each<[string, string, string | RegExp]>([
		['nothing', '', 'the file must have one key, rules'],
		['a list', '- a', 'the file must have one key, rules'],
		['no YAML', 'rules: [', /^line \d+: no valid YAML/],
		['a key twice', 'rules: []\nrules: []', /^line 2: no valid YAML/],
		['no rules', 'rules: []', 'rules: must be a list of 1 to 200 rules'],
		[
			'another key',
			'rules: [{ channels: log }]\nroutes: 1',
			'routes: there is no such key; the file has one key, rules',
		],
		['a rule that is text', 'rules: [log]', 'rules[0]: must have channels, and a match unless it is the last one'],
		[
			'a rule with another key',
			'rules: [{ channels: log, when: x }]',
			'rules[0].when: there is no such key; a rule has match and channels',
		],
		[
			'no channels',
			'rules: [{}]',
			'rules[0].channels: nothing is not one of slack, email, webhook, console, file, log',
		],
		[
			'an empty list of channels',
			'rules: [{ channels: [] }]',
			'rules[0].channels: must be one of slack, email, webhook, console, file, log, or a list of that',
		],
		[
			'a channel that there is not',
			'rules: [{ channels: [pager] }]',
			'rules[0].channels: "pager" is not one of slack, email, webhook, console, file, log',
		],
		['a channel twice', 'rules: [{ channels: [log, log] }]', 'rules[0].channels: names a channel twice'],
		[
			'a last rule with conditions',
			'rules: [{ match: { type: Completion }, channels: log }]',
			'rules[0]: the last rule must have no match, so that every message goes somewhere',
		],
		[
			'rules that are never reached',
			'rules: [{ channels: log }, { channels: log }]',
			'rules[0]: has no conditions, so the rules after it are never reached: make it the last one',
		],
		[
			'a match that is text',
			'rules: [{ match: x, channels: log }, { channels: log }]',
			/^rules\[0\]\.match: must have one or more of type, priority, cause, severity, labels/,
		],
		[
			'a condition that there is not',
			'rules: [{ match: { kind: x }, channels: log }, { channels: log }]',
			/^rules\[0\]\.match\.kind: there is no such condition/,
		],
		[
			'a type that there is not',
			'rules: [{ match: { type: Alarm }, channels: log }, { channels: log }]',
			'rules[0].match.type: "Alarm" is not one of Escalation, StatusUpdate, Completion, ManualReview',
		],
		[
			'a label without a value',
			'rules: [{ match: { labels: { team: } }, channels: log }, { channels: log }]',
			'rules[0].match.labels.team: null is not text',
		],
		[
			'no labels',
			'rules: [{ match: { labels: {} }, channels: log }, { channels: log }]',
			'rules[0].match.labels: must have labels and their values',
		],
		[
			'a number for text',
			'rules: [{ match: { severity: 1 }, channels: log }, { channels: log }]',
			'rules[0].match.severity: 1 is not text',
		],
	])('with %s is refused', (_what, text, want) => {
		const problems = problemsOf(text);
		expect(
			problems.filter((problem) => (typeof want === 'string' ? problem === want : want.test(problem))),
		).toHaveLength(1);
	});

	it('reports all mistakes together', () => {
		expect(problemsOf('rules: [{ match: { type: A, kind: b }, channels: [c] }, { channels: log, d: e }]')).toHaveLength(
			4,
		);
	});

	it('that names a channel which is not set up says the key that is missing', () => {
		expect(problemsOf('rules: [{ channels: [slack, log] }]', { slack: 'SLACK_WEBHOOK_URL_FILE' })).toEqual([
			'rules[0].channels: slack is not set up: set SLACK_WEBHOOK_URL_FILE',
		]);
	});
});
