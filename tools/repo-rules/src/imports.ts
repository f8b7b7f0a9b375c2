// Which modules a source file asks for, types included. Found by pattern: TypeScript 7 has no parser to call. An
// import must begin its line, so that comments and texts do not count; import() counts anywhere.

type Import = { readonly specifier: string; readonly typesOnly: boolean };

const FROM = /^\s*(?:import|export)\b([^;'"`]*?)\bfrom\s*['"]([^'"\n]+)['"]/gm;
const FOR_ITS_EFFECTS = /^\s*import\s*['"]([^'"\n]+)['"]/gm;
const AT_RUN_TIME = /\b(?:import|require|import\.meta\.resolve)\s*\(\s*['"`]([^'"`\n]+)['"`]/g;

export function importsOf(source: string): Import[] {
	const from = [...source.matchAll(FROM)].map(([, clause = '', specifier = '']) => ({
		specifier,
		typesOnly: isTypesOnly(clause),
	}));
	const others = [FOR_ITS_EFFECTS, AT_RUN_TIME].flatMap((pattern) =>
		[...source.matchAll(pattern)].map(([, specifier = '']) => ({ specifier, typesOnly: false })),
	);
	return [...from, ...others];
}

export function importedModules(source: string): string[] {
	return [...new Set(importsOf(source).map(({ specifier }) => specifier))];
}

/** `clause` is the text between `import` or `export` and `from`. */
function isTypesOnly(clause: string): boolean {
	if (/^\s*type\b(?!\s*,)/.test(clause)) return true;
	const names = /^\s*\{([^}]*)\}\s*$/.exec(clause)?.[1];
	const specifiers = (names ?? '').split(',').filter((name) => name.trim() !== '');
	return specifiers.length > 0 && specifiers.every((name) => /^\s*type\s/.test(name));
}

/** "@scope/name/part" and "name/part" → the package's name. */
export function packageOf(specifier: string): string {
	return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

export function isRelative(specifier: string): boolean {
	return specifier.startsWith('.') || specifier.startsWith('/') || specifier.startsWith('file:');
}
