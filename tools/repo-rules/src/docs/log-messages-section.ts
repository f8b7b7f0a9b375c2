import type { AppFacts } from './app-facts.ts';
import { code, table } from './markdown.ts';

/** One row for a message; the level is the same wherever it is logged, or all of them stand there. */
export function logMessagesSection(apps: readonly AppFacts[]): string {
	const rows = new Map<string, { levels: Set<string>; apps: Set<string> }>();
	for (const app of apps)
		for (const { message, levels } of app.logMessages) {
			const row = rows.get(message) ?? { levels: new Set(), apps: new Set() };
			for (const level of levels) row.levels.add(level);
			row.apps.add(app.name);
			rows.set(message, row);
		}
	return table(
		['message', 'level', 'apps'],
		[...rows]
			.toSorted(([a], [b]) => a.localeCompare(b, 'en'))
			.map(([message, row]) => [
				code(message),
				[...row.levels].join(', '),
				row.apps.size === apps.length ? 'all' : [...row.apps].join(', '),
			]),
	);
}
