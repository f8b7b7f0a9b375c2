// Text for people: what the layouts of all channels share.
import type { Message } from './message.ts';

/** Control characters, and those that turn the direction of text or hide in it. Tab and line feed stay. */
const CONTROLS = /(?![\t\n])\p{Cc}|[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

export function withoutControls(text: string): string {
	return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '');
}

/** For headers and one-line fields. */
export function onOneLine(text: string): string {
	return withoutControls(text).replace(/\s+/g, ' ').trim();
}

/** At most so many UTF-16 units, never half a character. */
export function cut(text: string, max: number): string {
	if (text.length <= max) return text;
	const end = (text.codePointAt(max - 2) ?? 0) > 0xffff ? max - 2 : max - 1;
	return `${text.slice(0, end)}…`;
}

/** The facts that a reader looks for first. Each is one line. */
export function factsOf({ type, priority, context }: Message): readonly (readonly [name: string, value: string])[] {
	const facts: readonly (readonly [string, string | undefined])[] = [
		['Priority', `${priority} (${type})`],
		['Severity', context.severity],
		['Signal', context.signalName],
		['Target', context.targetResource],
		['Workflow', context.workflow],
		['Execution', context.execution],
		['Outcome', context.outcome],
		['Firing since', context.firingTime],
	];
	return facts.flatMap(([name, value]) => {
		const line = value === undefined ? '' : onOneLine(value);
		return line === '' ? [] : [[name, line] as const];
	});
}

/** The command that shows all of the message. */
export function whereTheRestIs({ namespace, name }: Message): string {
	return `kubectl get notificationrequest ${name} -n ${namespace} -o yaml`;
}

/** The body with at most `max` units; one that is longer ends with the command that shows the rest. */
export function bodyUpTo(
	message: Message,
	max: number,
	lengthOf: (text: string) => number = (text) => text.length,
): string {
	const body = withoutControls(message.body);
	if (lengthOf(body) <= max) return body;
	const end = `\n… cut here. The rest: ${whereTheRestIs(message)}`;
	const room = max - lengthOf(end);
	let kept = '';
	let used = 0;
	for (const character of body) {
		used += lengthOf(character);
		if (used > room) break;
		kept += character;
	}
	return `${kept}${end}`;
}

/** The whole message as text: mail and console. */
export function plainTextOf(message: Message): string {
	return [
		withoutControls(message.body),
		'',
		...factsOf(message).map(([name, value]) => `${name}: ${value}`),
		`Notification: ${message.namespace}/${message.name}`,
	].join('\n');
}
