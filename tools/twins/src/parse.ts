// TypeScript to a tree, by the parser that vite brings along (oxc): TypeScript 7 has none to call.
import { parseSync } from 'vite';

export type Node = {
	readonly type: string;
	readonly start: number;
	readonly end: number;
	readonly [key: string]: unknown;
};
export type Comment = { readonly value: string; readonly start: number; readonly end: number };
export type Parsed = { readonly statements: readonly Node[]; readonly comments: readonly Comment[] };

export class UnreadableSourceError extends Error {
	readonly path: string;
	readonly why: string;

	constructor(path: string, why: string) {
		super(`${path} cannot be read as TypeScript: ${why}`);
		this.name = 'UnreadableSourceError';
		this.path = path;
		this.why = why;
	}
}

export function parse(path: string, source: string): Parsed {
	const { program, comments, errors } = parseSync(path, source, { lang: 'ts', astType: 'ts', preserveParens: false });
	const [error] = errors;
	if (error !== undefined) throw new UnreadableSourceError(path, error.codeframe ?? error.message);
	return { statements: program.body as unknown as Node[], comments };
}

export function isNode(value: unknown): value is Node {
	return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
