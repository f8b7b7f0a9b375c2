import type { AppFacts } from './app-facts.ts';
import { table } from './markdown.ts';

export function targetsSection(apps: readonly AppFacts[]): string {
	return apps
		.flatMap(({ targets }) => targets)
		.flatMap(({ title, head, rows }) => [`### ${title}`, table(head, rows)])
		.join('\n\n');
}
