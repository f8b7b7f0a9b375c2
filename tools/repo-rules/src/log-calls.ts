// The calls of a logger in a source file: `log.info({ … }, 'message')` and `log[ok ? 'info' : 'warn']({ … }, 'message')`.
// Found by pattern, as imports are: TypeScript 7 has no parser to call.

type LogCall =
	| { readonly line: number; readonly messages: readonly LogMessage[] }
	/** The message is not written out where it is logged. */
	| { readonly line: number; readonly expression: string };
export type LogMessage = { readonly message: string; readonly levels: readonly string[] };

const CALL = /\blog(?:ger)?(?:\.(debug|info|warn|error|fatal)|\[([^\]]*)\])\(/g;
const TEXT = /^'((?:[^'\\]|\\.)*)'$/;
const CHOICE = /^([^?]*?)\s*\?\s*('(?:[^'\\]|\\.)*')\s*:\s*('(?:[^'\\]|\\.)*')$/;

export function logCalls(source: string): LogCall[] {
	return [...source.matchAll(CALL)].map((match) => {
		const [call, level = '', chosenLevel = ''] = match;
		const line = source.slice(0, match.index).split('\n').length;
		const expression = argumentsAfter(source, match.index + call.length).at(-1) ?? '';
		const levels = level === '' ? choicesIn(chosenLevel) : { condition: undefined, texts: [level] };
		const messages = choicesIn(expression);
		if (messages.texts.length === 0) return { line, expression };
		const together = messages.condition !== undefined && messages.condition === levels.condition;
		return {
			line,
			messages: messages.texts.map((message, index) => ({
				message,
				levels: together ? levels.texts.slice(index, index + 1) : levels.texts,
			})),
		};
	});
}

/** `'a'` is one text; `condition ? 'a' : 'b'` is two. */
function choicesIn(expression: string): { condition: string | undefined; texts: string[] } {
	const [, condition, ...choices] = CHOICE.exec(expression) ?? [];
	const literals = condition === undefined ? [expression] : choices;
	return { condition, texts: literals.flatMap((literal) => TEXT.exec(literal)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? []) };
}

/** The arguments of a call whose parenthesis opens just before `start`, as they are written. */
function argumentsAfter(source: string, start: number): string[] {
	const found: string[] = [];
	let depth = 0;
	let from = start;
	for (let index = start; index < source.length; index++) {
		const character = source[index] ?? '';
		if (`'"\``.includes(character)) index = endOfText(source, index);
		else if ('([{'.includes(character)) depth++;
		else if (depth === 0 && ',)'.includes(character)) {
			found.push(source.slice(from, index).trim());
			from = index + 1;
			if (character === ')') break;
		} else if (')]}'.includes(character)) depth--;
	}
	return found.filter((argument) => argument !== '');
}

function endOfText(source: string, start: number): number {
	for (let index = start + 1; index < source.length; index++) {
		if (source[index] === '\\') index++;
		else if (source[index] === source[start]) return index;
	}
	return source.length;
}
