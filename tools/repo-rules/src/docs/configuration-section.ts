import type { AppFacts, ConfigKeyFacts } from './app-facts.ts';
import { code, table } from './markdown.ts';

/** First the keys that every app has alike, then what each has of its own. */
export function configurationSection(apps: readonly AppFacts[]): string {
	const rowsOf = (app: AppFacts) => app.configKeys.map(row);
	const [first, ...others] = apps;
	const shared = (first === undefined ? [] : rowsOf(first)).filter((candidate) =>
		others.every((app) => rowsOf(app).some((other) => same(candidate, other))),
	);
	const own = apps.map((app) => ({
		app: app.name,
		rows: rowsOf(app).filter((candidate) => !shared.some((other) => same(candidate, other))),
	}));
	return [
		'## Every app',
		keyTable(shared),
		...own.flatMap(({ app, rows }) => [`## ${app}`, rows.length === 0 ? 'Nothing of its own.' : keyTable(rows)]),
	].join('\n\n');
}

function row(key: ConfigKeyFacts): string[] {
	return [
		code(key.env),
		code(key.path),
		key.default === undefined ? 'none' : code(key.default),
		key.value.allowed,
		key.help,
	];
}

function keyTable(rows: readonly string[][]): string {
	return table(['environment', 'file', 'default', 'allowed', 'meaning'], rows);
}

function same(left: readonly string[], right: readonly string[]): boolean {
	return left.join('\n') === right.join('\n');
}
