// One copy against its reference: what differs that its head does not name, and what the head names that does not differ.
import { type Declaration, type Declarations, declarationsOf } from './declarations.ts';
import { copyLines, type Head, headOf } from './head.ts';
import { parse } from './parse.ts';

export type Source = { readonly path: string; readonly text: string };

export type Difference = {
	readonly name: string;
	/** Undefined: the reference has no such declaration. */
	readonly reference: Declaration | undefined;
	/** Undefined: the copy has no such declaration. */
	readonly copy: Declaration | undefined;
};

export type Finding = {
	/** The copy. */
	readonly where: string;
	readonly what: string;
	readonly differences: readonly Difference[];
	readonly reference: string;
	readonly whatToDo: readonly string[];
};

export function compareCopy(reference: Source, copy: Source): Finding[] {
	if (reference.text === copy.text) return [];
	const head = headOf(copy.text, parse(copy.path, copy.text).comments);
	const found = (what: string, whatToDo: readonly string[], differences: readonly Difference[] = []): Finding[] => [
		{ where: copy.path, what, whatToDo, differences, reference: reference.path },
	];
	if (head.kind === 'unreadable')
		return found(`says "${head.text}" in a form that is not understood`, [
			'write it like this:',
			...copyLines(reference.path, ['NAME', 'CLASS.MEMBER']),
		]);
	if (head.kind !== 'none' && head.of !== reference.path)
		return found(`names ${head.of} as its source; the reference is ${reference.path}`, [
			'compare it with the reference, or change tools/twins/src/table.ts',
		]);
	const declarations = {
		reference: declarationsOf(reference.path, reference.text),
		copy: declarationsOf(copy.path, copy.text),
	};
	const differences = differencesOf(declarations.reference, declarations.copy);
	switch (head.kind) {
		case 'none':
			return differences.length === 0 ? onlyWords(found, reference.path) : unnamed(found, head, reference, differences);
		case 'copy':
			return [
				...unnamed(found, head, reference, differences),
				...stale(found, head.differsIn, reference, differences, declarations),
			];
		case 'no-copy':
			return mostlyTheSame(declarations, differences)
				? found('says that it is no copy, but most of it is', [
						'say what differs instead:',
						...copyLines(reference.path, differences.map(nameOf)),
					])
				: [];
	}
}

type Found = (what: string, whatToDo: readonly string[], differences?: readonly Difference[]) => Finding[];
type BothDeclarations = { readonly reference: Declarations; readonly copy: Declarations };

export function differencesOf(reference: Declarations, copy: Declarations): Difference[] {
	const names = new Set([...reference.keys(), ...copy.keys()]);
	return [...names]
		.map((name) => ({ name, reference: reference.get(name), copy: copy.get(name) }))
		.filter((difference) => difference.reference?.meaning !== difference.copy?.meaning)
		.filter(({ name }) => !belongsToMissingClass(name, reference, copy));
}

/** A class that one side lacks is one difference, not one for each member. */
function belongsToMissingClass(name: string, reference: Declarations, copy: Declarations): boolean {
	const dot = name.indexOf('.');
	if (dot <= 0) return false;
	const owner = name.slice(0, dot);
	return reference.has(owner) !== copy.has(owner);
}

function unnamed(found: Found, head: Head, { path }: Source, differences: readonly Difference[]): Finding[] {
	const named = head.kind === 'copy' ? head.differsIn : [];
	const left = differences.filter(({ name }) => !named.includes(name));
	if (left.length === 0) return [];
	const what = `differs from ${path} in what its head does not name: ${left.map(nameOf).join(', ')}`;
	const whatToDo = [
		'a fix belongs in the reference and in every copy: carry it over to where it is missing.',
		'If this app must differ here, say so in the head of the copy:',
		...copyLines(path, differences.map(nameOf)),
	];
	return found(what, whatToDo, left);
}

function stale(
	found: Found,
	named: readonly string[],
	{ path }: Source,
	differences: readonly Difference[],
	declarations: BothDeclarations,
): Finding[] {
	const known = (name: string) => declarations.reference.has(name) || declarations.copy.has(name);
	const reasons = named
		.filter((name) => !differences.some((difference) => difference.name === name))
		.map((name) => `${name} (${known(name) ? 'the same in both' : 'in neither file'})`);
	if (reasons.length === 0) return [];
	const whatToDo = ['the head of the copy should be:', ...copyLines(path, differences.map(nameOf))];
	return found(`names a difference that there is not: ${reasons.join(', ')}`, whatToDo);
}

function onlyWords(found: Found, path: string): Finding[] {
	return found(`differs from ${path} in comments or layout, and its head does not say that it is a copy`, [
		'make it the same byte for byte, or begin it with:',
		...copyLines(path, []),
	]);
}

function mostlyTheSame({ reference, copy }: BothDeclarations, differences: readonly Difference[]): boolean {
	const all = new Set([...reference.keys(), ...copy.keys()]).size;
	return differences.length < all / 2;
}

function nameOf({ name }: { readonly name: string }): string {
	return name;
}
