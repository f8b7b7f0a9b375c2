import type { AppFacts } from './app-facts.ts';
import { code, table } from './markdown.ts';

/** One row for a code and its words; a code that means something else in another app has a row there. */
export function errorsSection(apps: readonly AppFacts[]): string {
	const rows = new Map<string, { code: string; words: string; apps: string[] }>();
	for (const app of apps)
		for (const [errorCode, words] of Object.entries(app.errors)) {
			const key = `${errorCode}\n${words}`;
			const row = rows.get(key) ?? { code: errorCode, words, apps: [] };
			row.apps.push(app.name);
			rows.set(key, row);
		}
	return table(
		['code', 'what it means, and what to do', 'apps'],
		[...rows.values()]
			.toSorted((a, b) => a.code.localeCompare(b.code, 'en'))
			.map((row) => [code(row.code), row.words, row.apps.length === apps.length ? 'all' : row.apps.join(', ')]),
	);
}
