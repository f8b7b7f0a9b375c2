// A source file as the declarations that can be named: imported names, types, constants, functions, and classes member by
// member. What has one name (overloads, a getter and its setter, a type beside its value) is one declaration.
// Guarantee: everything that a program is made of counts; where it stands, how it is laid out and what comments say does
// not.
import { isNode, type Node, type Parsed, parse } from './parse.ts';

export type Declaration = {
	/** "withLock" of the class DistributedLock is "DistributedLock.withLock"; the class's own name is its head. */
	readonly name: string;
	/** Equal for two declarations that say the same. */
	readonly meaning: string;
	/** For people: as written, without comments. */
	readonly text: string;
	readonly line: number;
};

export type Declarations = ReadonlyMap<string, Declaration>;

/** What runs when the file is loaded; its order counts. */
export const STATEMENTS = 'statements';

type Piece = { readonly name: string; readonly meaning: unknown; readonly text: string; readonly start: number };

export function declarationsOf(path: string, source: string): Declarations {
	const file = new SourceFile(source, parse(path, source));
	const found = new Map<string, Declaration>();
	for (const { name, meaning, text, start } of file.pieces()) {
		const before = found.get(name);
		const canonical = JSON.stringify(meaning, withoutLayout);
		found.set(name, {
			name,
			meaning: before === undefined ? canonical : `${before.meaning}\n${canonical}`,
			text: before === undefined ? text : `${before.text}\n${text}`,
			line: before?.line ?? file.lineAt(start),
		});
	}
	return found;
}

class SourceFile {
	readonly #source: string;
	readonly #parsed: Parsed;

	constructor(source: string, parsed: Parsed) {
		this.#source = source;
		this.#parsed = parsed;
	}

	pieces(): Piece[] {
		return this.#parsed.statements.flatMap((statement) => this.#piecesOf(statement));
	}

	lineAt(offset: number): number {
		return this.#source.slice(0, offset).split('\n').length;
	}

	#piecesOf(statement: Node): Piece[] {
		switch (statement.type) {
			case 'ImportDeclaration':
				return this.#imports(statement);
			case 'ExportNamedDeclaration':
				return isNode(statement['declaration'])
					? this.#declared(statement['declaration'], statement)
					: this.#exports(statement);
			case 'ExportDefaultDeclaration':
				return isNode(statement['declaration']) && nameOf(statement['declaration']['id']) !== undefined
					? this.#declared(statement['declaration'], statement)
					: [this.#whole('default', statement)];
			case 'ExportAllDeclaration':
				return [this.#whole(`export * from ${moduleOf(statement)}`, statement)];
			default:
				return this.#declared(statement, statement);
		}
	}

	/** `outer` is the statement with its export. */
	#declared(node: Node, outer: Node): Piece[] {
		if (node.type === 'VariableDeclaration') return this.#variables(node, outer);
		const name = nameOf(node['id']);
		if (name === undefined) return [this.#whole(STATEMENTS, outer)];
		return node.type === 'ClassDeclaration' ? this.#class(name, node, outer) : [this.#whole(name, outer)];
	}

	#variables(node: Node, outer: Node): Piece[] {
		const declarators = nodesIn(node['declarations']);
		return declarators.flatMap((declarator) => {
			const { kind, declare } = node;
			const meaning = { statement: outer.type, kind, declare, declarator };
			const text = declarators.length === 1 ? this.#text(outer) : `${String(kind)} ${this.#text(declarator)};`;
			return boundNames(declarator['id']).map((name) => ({ name, meaning, text, start: declarator.start }));
		});
	}

	#class(name: string, node: Node, outer: Node): Piece[] {
		const body = node['body'] as Node;
		const meaning = { statement: outer.type, head: { ...node, body: undefined } };
		const members = nodesIn(body['body']).map((member) => this.#whole(`${name}.${this.#memberName(member)}`, member));
		const text = this.#text({ ...outer, end: body.start }).trimEnd();
		return [{ name, meaning, text, start: node.start }, ...members];
	}

	#memberName(member: Node): string {
		if (member.type === 'StaticBlock') return 'static';
		const key = member['key'];
		if (!isNode(key)) return member.type === 'TSIndexSignature' ? '[index]' : member.type;
		if (member['computed'] === true) return `[${this.#source.slice(key.start, key.end)}]`;
		return nameOf(key) ?? String(key['value']);
	}

	/** One for each name that is brought in, so that an order or a grouping of imports is no difference. */
	#imports(statement: Node): Piece[] {
		const from = moduleOf(statement);
		const specifiers = nodesIn(statement['specifiers']);
		if (specifiers.length === 0) return [this.#whole(`import ${from}`, statement)];
		return specifiers.map((specifier) => {
			const local = nameOf(specifier['local']) ?? '';
			const imported = nameOf(specifier['imported']);
			const onlyType = statement['importKind'] === 'type' || specifier['importKind'] === 'type';
			const meaning = { kind: specifier.type, from, imported, onlyType, attributes: statement['attributes'] };
			const names = imported === undefined || imported === local ? local : `${imported} as ${local}`;
			const text = `import ${onlyType ? 'type ' : ''}${specifier.type === 'ImportSpecifier' ? `{ ${names} }` : names} from ${from};`;
			return { name: local, meaning, text, start: specifier.start };
		});
	}

	#exports(statement: Node): Piece[] {
		const from = statement['source'] === null ? '' : ` from ${moduleOf(statement)}`;
		return nodesIn(statement['specifiers']).map((specifier) => {
			const exported = nameOf(specifier['exported']) ?? '';
			const text = `export { ${this.#text(specifier)} }${from};`;
			const meaning = { specifier, from, kind: statement['exportKind'] };
			return { name: `export ${exported}`, meaning, text, start: specifier.start };
		});
	}

	#whole(name: string, node: Node): Piece {
		return { name, meaning: node, text: this.#text(node), start: node.start };
	}

	/** Without comments and what they leave empty, and moved to the left edge. */
	#text({ start, end }: Pick<Node, 'start' | 'end'>): string {
		const inside = this.#parsed.comments.filter((comment) => comment.start >= start && comment.end <= end);
		let text = this.#source.slice(this.#lineStart(start), start).replaceAll(/\S/g, ' ');
		let at = start;
		for (const comment of inside) {
			text += this.#source.slice(at, comment.start);
			at = comment.end;
		}
		const lines = (text + this.#source.slice(at, end)).split('\n').map((line) => line.trimEnd());
		const kept = lines.filter((line) => line !== '');
		const margin = Math.min(...kept.map((line) => line.length - line.trimStart().length));
		return kept.map((line) => line.slice(margin)).join('\n');
	}

	#lineStart(offset: number): number {
		return this.#source.lastIndexOf('\n', offset - 1) + 1;
	}
}

/** Two texts that the parser reads alike are alike; only the way to write a string is left to the formatter. */
function withoutLayout(key: string, value: unknown): unknown {
	if (key === 'start' || key === 'end') return undefined;
	if (typeof value === 'bigint') return `${value}n`;
	if (!isNode(value) || value.type !== 'Literal' || typeof value['value'] !== 'string') return value;
	return { ...value, raw: undefined };
}

function boundNames(pattern: unknown): string[] {
	if (!isNode(pattern)) return [];
	if (pattern.type === 'Identifier') return [String(pattern['name'])];
	const parts = [pattern['properties'], pattern['elements']].flatMap((list) => (Array.isArray(list) ? list : []));
	return [...parts, pattern['argument'], pattern['left'], pattern.type === 'Property' && pattern['value']].flatMap(
		boundNames,
	);
}

function nameOf(node: unknown): string | undefined {
	if (!isNode(node)) return undefined;
	if (node.type === 'PrivateIdentifier') return `#${String(node['name'])}`;
	if (node.type === 'Literal') return String(node['value']);
	return typeof node['name'] === 'string' ? node['name'] : undefined;
}

function moduleOf({ source }: Node): string {
	return `'${nameOf(source) ?? ''}'`;
}

function nodesIn(value: unknown): Node[] {
	return Array.isArray(value) ? value.filter(isNode) : [];
}
