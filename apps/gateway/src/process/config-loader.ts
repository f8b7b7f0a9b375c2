// Reads a configuration: a YAML file, then the environment, which takes precedence. All problems are reported together,
// each with the key, the value and what is allowed; an unknown key in the file is a problem too.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Value } from './config-values.ts';

export type ConfigKey<T> = {
	/** Path in the file, with dots. */
	readonly path: string;
	readonly env: string;
	readonly value: Value<T>;
	/** As it would be written in the file; undefined: the key stays absent. */
	readonly default: string | undefined;
	readonly help: string;
};

// biome-ignore lint: the keys of one configuration have different value types
export type ConfigKeys = Readonly<Record<string, ConfigKey<any>>>;
export type ConfigOf<K extends ConfigKeys> = {
	readonly [N in keyof K]: K[N] extends ConfigKey<infer T>
		? K[N]['default'] extends string
			? T
			: T | undefined
		: never;
};
export type Environment = Readonly<Record<string, string | undefined>>;
export type Loaded<C> = { config: C } | { problems: string[] };

/** Types each key by its value and by whether it has a default. */
export function configKey<T, const D extends string | undefined>(
	key: Omit<ConfigKey<T>, 'default'> & { readonly default: D },
): ConfigKey<T> & { readonly default: D } {
	return key;
}

/** `impossibleRelations`: a sentence for each pair of values that cannot go together. */
export function loadConfig<K extends ConfigKeys>(
	keys: K,
	file: string | undefined,
	environment: Environment,
	impossibleRelations: (config: ConfigOf<K>) => readonly string[] = () => [],
): Loaded<ConfigOf<K>> {
	const read = file === undefined ? { values: new Map<string, unknown>() } : readFlat(file);
	if ('problem' in read) return { problems: [read.problem] };
	const known = new Set(Object.values(keys).map((key) => key.path));
	// A section with all its keys commented out is no mistake.
	const isSection = (path: string) => [...known].some((key) => key.startsWith(`${path}.`));
	const problems = [...read.values]
		.filter(([path, value]) => !known.has(path) && !(value === null && isSection(path)))
		.map(([path]) => `${path} (in ${file}): there is no such key; --help lists them`);

	const config: Record<string, unknown> = {};
	for (const [name, key] of Object.entries(keys)) {
		const fromEnvironment = environment[key.env];
		const source = fromEnvironment === undefined ? `${key.path} (in ${file})` : key.env;
		const raw = fromEnvironment ?? read.values.get(key.path) ?? key.default;
		if (raw === undefined) continue;
		const value: unknown = key.value.parse(raw);
		if (value === undefined) problems.push(`${source}: ${JSON.stringify(raw)} is not ${key.value.allowed}`);
		config[name] = value;
	}
	if (problems.length > 0) return { problems };
	const impossible = impossibleRelations(config as ConfigOf<K>);
	return impossible.length > 0 ? { problems: [...impossible] } : { config: config as ConfigOf<K> };
}

export function describeKeys(keys: ConfigKeys): string {
	const rows = Object.values(keys).map((key) => [
		key.env,
		key.path,
		key.default ?? '(none)',
		`${key.help} Allowed: ${key.value.allowed}.`,
	]);
	const headed = [['environment', 'file', 'default', ''], ...rows];
	const widths = [0, 1, 2].map((column) => Math.max(...headed.map((row) => row[column]?.length ?? 0)));
	return headed
		.map((row) =>
			row
				.map((cell, column) => cell.padEnd(widths[column] ?? 0))
				.join('  ')
				.trimEnd(),
		)
		.map((line) => `  ${line}`)
		.join('\n');
}

function readFlat(file: string): { values: Map<string, unknown> } | { problem: string } {
	try {
		const values = new Map<string, unknown>();
		flatten(parse(readFileSync(file, 'utf8')) ?? {}, '', values);
		return { values };
	} catch (error) {
		return { problem: `${file}: ${error instanceof Error ? error.message : String(error)}` };
	}
}

function flatten(node: unknown, path: string, into: Map<string, unknown>): void {
	if (typeof node !== 'object' || node === null || Array.isArray(node)) {
		into.set(path, node);
		return;
	}
	const children = Object.entries(node);
	if (children.length === 0 && path !== '') into.set(path, null);
	for (const [name, child] of children) flatten(child, path === '' ? name : `${path}.${name}`, into);
}
