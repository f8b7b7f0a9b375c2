// Which channels a message goes to, by rules: the first that matches decides. Pure: text in, rules or problems out.
import { parseDocument } from 'yaml';
import {
	NOTIFICATION_REQUEST_CHANNELS,
	NOTIFICATION_REQUEST_PRIORITIES,
	NOTIFICATION_REQUEST_TYPES,
	type NotificationRequestChannel,
} from '../generated/notification-request.ts';

export type Routed = {
	readonly type: string;
	readonly priority: string;
	readonly context?: {
		readonly cause?: string;
		readonly severity?: string;
		readonly labels?: Readonly<Record<string, string>>;
	};
};
type Condition = (message: Routed) => boolean;
export type RoutingRules = readonly {
	readonly conditions: readonly Condition[];
	readonly channels: readonly NotificationRequestChannel[];
}[];

/** The configuration key that a channel lacks; undefined when it is set up. */
export type MissingKey = (channel: NotificationRequestChannel) => string | undefined;

const MAX_RULES = 200;

/** Fields with a closed set of values, and those with any. */
const FIELDS: Readonly<
	Record<string, { readonly allowed?: readonly string[]; of(message: Routed): string | undefined }>
> = {
	type: { allowed: NOTIFICATION_REQUEST_TYPES, of: ({ type }) => type },
	priority: { allowed: NOTIFICATION_REQUEST_PRIORITIES, of: ({ priority }) => priority },
	cause: { of: ({ context }) => context?.cause },
	severity: { of: ({ context }) => context?.severity },
};

/** Used when there is no file. */
export const LOG_ONLY: RoutingRules = [{ conditions: [], channels: ['log'] }];

export function channelsFor(rules: RoutingRules, message: Routed): readonly NotificationRequestChannel[] {
	// A last rule without conditions is required, so one always matches.
	return rules.find(({ conditions }) => conditions.every((holds) => holds(message)))?.channels ?? ['log'];
}

export function parseRouting(
	text: string,
	missingKey: MissingKey = () => undefined,
): { readonly rules: RoutingRules } | { readonly problems: readonly string[] } {
	const document = parseDocument(text, { uniqueKeys: true });
	if (document.errors.length > 0)
		return {
			problems: document.errors.map(({ code, linePos }) => `line ${linePos?.[0].line ?? '?'}: no valid YAML (${code})`),
		};
	const content: unknown = document.toJS();
	if (!isRecord(content)) return { problems: ['the file must have one key, rules'] };
	const problems = Object.keys(content)
		.filter((key) => key !== 'rules')
		.map((key) => `${key}: there is no such key; the file has one key, rules`);
	const list = content['rules'];
	if (!Array.isArray(list) || list.length === 0 || list.length > MAX_RULES)
		return { problems: [...problems, `rules: must be a list of 1 to ${MAX_RULES} rules`] };
	const rules = list.map((rule: unknown, index) => parseRule(rule, `rules[${index}]`, missingKey, problems));
	const last = list.length - 1;
	rules.forEach(({ conditions, isValid }, index) => {
		if (!isValid) return;
		if (index < last && conditions.length === 0)
			problems.push(
				`rules[${index}]: has no conditions, so the rules after it are never reached: make it the last one`,
			);
		if (index === last && conditions.length > 0)
			problems.push(`rules[${index}]: the last rule must have no match, so that every message goes somewhere`);
	});
	return problems.length > 0 ? { problems } : { rules };
}

function parseRule(
	rule: unknown,
	where: string,
	missingKey: MissingKey,
	problems: string[],
): RoutingRules[number] & { readonly isValid: boolean } {
	const before = problems.length;
	const fields = isRecord(rule) ? rule : {};
	if (!isRecord(rule)) problems.push(`${where}: must have channels, and a match unless it is the last one`);
	for (const key of Object.keys(fields))
		if (key !== 'match' && key !== 'channels')
			problems.push(`${where}.${key}: there is no such key; a rule has match and channels`);
	const conditions = parseMatch(fields['match'], `${where}.match`, problems);
	const channels = isRecord(rule) ? parseChannels(fields['channels'], `${where}.channels`, missingKey, problems) : [];
	return { conditions, channels, isValid: problems.length === before };
}

function parseMatch(match: unknown, where: string, problems: string[]): Condition[] {
	if (match === undefined || match === null) return [];
	if (!isRecord(match)) {
		problems.push(`${where}: must have one or more of ${[...Object.keys(FIELDS), 'labels'].join(', ')}`);
		return [];
	}
	return Object.entries(match).flatMap(([name, values]) => {
		if (name === 'labels') return parseLabels(values, `${where}.labels`, problems);
		const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
		if (field === undefined) {
			problems.push(
				`${where}.${name}: there is no such condition; conditions are ${[...Object.keys(FIELDS), 'labels'].join(', ')}`,
			);
			return [];
		}
		const wanted = parseTexts(values, `${where}.${name}`, field.allowed, problems);
		return [(message: Routed) => wanted.includes(field.of(message) ?? '')];
	});
}

function parseLabels(labels: unknown, where: string, problems: string[]): Condition[] {
	if (!isRecord(labels) || Object.keys(labels).length === 0) {
		problems.push(`${where}: must have labels and their values`);
		return [];
	}
	return Object.entries(labels).map(([name, values]) => {
		const wanted = parseTexts(values, `${where}.${name}`, undefined, problems);
		return ({ context }) => {
			const value =
				context?.labels !== undefined && Object.hasOwn(context.labels, name) ? context.labels[name] : undefined;
			return value !== undefined && wanted.includes(value);
		};
	});
}

function parseChannels(
	value: unknown,
	where: string,
	missingKey: MissingKey,
	problems: string[],
): NotificationRequestChannel[] {
	const channels = parseTexts(value, where, NOTIFICATION_REQUEST_CHANNELS, problems);
	if (new Set(channels).size < channels.length) problems.push(`${where}: names a channel twice`);
	for (const channel of channels) {
		const key = missingKey(channel);
		if (key !== undefined) problems.push(`${where}: ${channel} is not set up: set ${key}`);
	}
	return channels;
}

/** One text, or a list of them. */
function parseTexts<T extends string>(
	value: unknown,
	where: string,
	allowed: readonly T[] | undefined,
	problems: string[],
): T[] {
	const list: unknown[] = Array.isArray(value) ? value : [value];
	const what = allowed === undefined ? 'text' : `one of ${allowed.join(', ')}`;
	const isGood = (one: unknown): one is T =>
		typeof one === 'string' && one !== '' && (allowed === undefined || (allowed as readonly string[]).includes(one));
	if (list.length === 0) problems.push(`${where}: must be ${what}, or a list of that`);
	for (const one of list) if (!isGood(one)) problems.push(`${where}: ${describe(one)} is not ${what}`);
	return list.filter(isGood);
}

function describe(value: unknown): string {
	return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
