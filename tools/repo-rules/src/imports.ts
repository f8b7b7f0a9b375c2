// Which modules a source file asks for, types included. Found by pattern: TypeScript 7 has no parser to call. An
// import must begin its line, so that comments and texts do not count; import() counts anywhere.

const PATTERNS = [
	/^\s*(?:import|export)\b[^;'"`]*?\bfrom\s*['"]([^'"\n]+)['"]/gm,
	/^\s*import\s*['"]([^'"\n]+)['"]/gm,
	/\b(?:import|require|import\.meta\.resolve)\s*\(\s*['"`]([^'"`\n]+)['"`]/g,
];

export function importedModules(source: string): string[] {
	const found = PATTERNS.flatMap((pattern) => [...source.matchAll(pattern)].map((match) => match[1] ?? ''));
	return [...new Set(found)];
}

/** "@scope/name/part" and "name/part" → the package's name. */
export function packageOf(specifier: string): string {
	return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

export function isRelative(specifier: string): boolean {
	return specifier.startsWith('.') || specifier.startsWith('/') || specifier.startsWith('file:');
}
