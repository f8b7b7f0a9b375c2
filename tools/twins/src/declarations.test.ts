import { describe, expect, it } from 'vitest';
import { differencesOf } from './compare.ts';
import { declarationsOf } from './declarations.ts';

function differingNames(first: string, second: string): string[] {
	return differencesOf(declarationsOf('a.ts', first), declarationsOf('b.ts', second)).map(({ name }) => name);
}

describe('declarations and their names', () => {
	it.each([
		{ source: `import { a, type B as C } from 'm';`, want: ['a', 'C'] },
		{ source: `import d, * as e from 'm';`, want: ['d', 'e'] },
		{ source: `import './side.ts';`, want: [`import './side.ts'`] },
		{ source: 'export const a = 1, b = 2;', want: ['a', 'b'] },
		{ source: 'const { a, b: [c = 1, ...d] } = e;', want: ['a', 'c', 'd'] },
		{ source: 'type T = string;\ninterface I {}\nfunction f() {}\nasync function* g() {}', want: ['T', 'I', 'f', 'g'] },
		{ source: 'function o(a: string): void;\nfunction o(a: unknown) {}', want: ['o'] },
		{ source: `export { a as b };\nexport * from 'm';`, want: ['export b', `export * from 'm'`] },
		{ source: 'export default function f() {}', want: ['f'] },
		{ source: 'export default 1;', want: ['default'] },
		{ source: 'start();\nif (x) stop();', want: ['statements'] },
		{
			source: `class C { #a = 1; b() {} static d() {} constructor() {} get e() { return 1; } set e(v) {} static {} ['f']() {} }`,
			want: ['C', 'C.#a', 'C.b', 'C.d', 'C.constructor', 'C.e', 'C.static', `C.['f']`],
		},
	])('$source', ({ source, want }) => {
		expect([...declarationsOf('a.ts', source).keys()]).toEqual(want);
	});
});

describe('what is no difference', () => {
	it.each([
		{ what: 'comments', first: '/** A */ const a = /* b */ 1; // c', second: '// d\nconst a = 1;' },
		{
			what: 'comments inside',
			first: 'function f() { /* why */ return 1; }',
			second: 'function f() { return 1; /* other */ }',
		},
		{ what: 'layout', first: 'f({ a, b });', second: 'f(\n\t{\n\t\ta,\n\t\tb,\n\t},\n);' },
		{ what: 'needless brackets', first: 'const a = (b + c);', second: 'const a = b + c;' },
		{ what: 'quotes', first: `const a = 'b';`, second: 'const a = "b";' },
		{ what: 'moved declarations', first: 'const a = 1;\nfunction f() {}', second: 'function f() {}\nconst a = 1;' },
		{ what: 'moved members', first: 'class C { a = 1; b() {} }', second: 'class C { b() {} a = 1; }' },
		{
			what: 'moved imports',
			first: `import { a, b } from 'm';`,
			second: `import { b } from 'm';\nimport { a } from 'm';`,
		},
		{ what: 'where "type" stands', first: `import type { A } from 'm';`, second: `import { type A } from 'm';` },
	])('$what', ({ first, second }) => {
		expect(differingNames(first, second)).toEqual([]);
	});
});

describe('what is a difference', () => {
	it.each([
		{ first: 'const a = 1;', second: 'const a = 2;', want: ['a'] },
		{ first: 'const a = 1;', second: 'let a = 1;', want: ['a'] },
		{ first: 'const a = 1;', second: 'export const a = 1;', want: ['a'] },
		{ first: 'const a = [1];', second: 'const a = [1] as const;', want: ['a'] },
		{ first: 'const a = { b };', second: 'const a = { b } satisfies B;', want: ['a'] },
		{ first: `const a = 'b';`, second: `const a = 'b ';`, want: ['a'] },
		{ first: 'const a = `b c`;', second: 'const a = `b  c`;', want: ['a'] },
		{ first: 'const a = /b/;', second: 'const a = /b/g;', want: ['a'] },
		{ first: 'const a = 1n;', second: 'const a = 2n;', want: ['a'] },
		{ first: 'const a = b + (c - d);', second: 'const a = b + c - d;', want: ['a'] },
		{ first: 'const a = b?.c;', second: 'const a = b.c;', want: ['a'] },
		{ first: 'const a = b!;', second: 'const a = b;', want: ['a'] },
		{ first: 'type T = { a: string };', second: 'type T = { readonly a: string };', want: ['T'] },
		{ first: 'type T = { a: string };', second: 'type T = { a?: string };', want: ['T'] },
		{ first: 'function f<T>() {}', second: 'function f<T extends string>() {}', want: ['f'] },
		{ first: 'function f() {}', second: 'async function f() {}', want: ['f'] },
		{ first: 'function f(a = 1) {}', second: 'function f(a = 2) {}', want: ['f'] },
		{ first: 'function f() { a(); b(); }', second: 'function f() { b(); a(); }', want: ['f'] },
		{ first: 'a();\nb();', second: 'b();\na();', want: ['statements'] },
		{ first: `import { a } from 'm';`, second: `import { a } from 'n';`, want: ['a'] },
		{ first: `import { a } from 'm';`, second: `import { b as a } from 'm';`, want: ['a'] },
		{ first: `import { A } from 'm';`, second: `import type { A } from 'm';`, want: ['A'] },
		{ first: `import { a } from 'm';`, second: '', want: ['a'] },
		{ first: `export { a };`, second: `export { b as a };`, want: ['export a'] },
		{ first: 'class C {}', second: 'class C extends D {}', want: ['C'] },
		{ first: 'class C {}', second: 'export class C {}', want: ['C'] },
		{ first: 'class C { a = 1; }', second: 'class C { static a = 1; }', want: ['C.a'] },
		{ first: 'class C { a = 1; }', second: 'class C { readonly a = 1; }', want: ['C.a'] },
		{ first: 'class C { a() {} }', second: 'class C { private a() {} }', want: ['C.a'] },
		{ first: 'class C { a() {} }', second: 'class C { override a() {} }', want: ['C.a'] },
		{ first: 'class C { a() {} b() { c(); } }', second: 'class C { a() {} b() { d(); } }', want: ['C.b'] },
		{ first: 'class C { a() {} }', second: 'class C { b() {} }', want: ['C.a', 'C.b'] },
		{ first: 'class C { get a() { return 1; } }', second: 'class C { a() { return 1; } }', want: ['C.a'] },
	])('$first  |  $second', ({ first, second, want }) => {
		expect(differingNames(first, second)).toEqual(want);
	});
	it('a class that one side lacks is one difference', () => {
		expect(differingNames('class C { a() {} b() {} }', '')).toEqual(['C']);
	});
});

it('text is shown as written, without comments and at the left edge', () => {
	const source = 'class C {\n\t/** Why. */\n\tb() {\n\t\t// how\n\t\treturn 1; // what\n\t}\n}';
	expect(declarationsOf('a.ts', source).get('C.b')).toMatchObject({ text: 'b() {\n\treturn 1;\n}', line: 3 });
});

it('a file that is no TypeScript is refused by name', () => {
	expect(() => declarationsOf('apps/x/src/a.ts', 'const = ;')).toThrow('apps/x/src/a.ts cannot be read as TypeScript');
});
