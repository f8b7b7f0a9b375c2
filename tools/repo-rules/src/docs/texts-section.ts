// Texts that an app exports as a table: Event reasons, subjects of notifications.
import type { AppFacts } from './app-facts.ts';
import { code, table } from './markdown.ts';

export function eventsSection(apps: readonly AppFacts[]): string {
	return sections(apps, ['reason', 'meaning'], ({ eventReasons }) => eventReasons);
}

export function notificationsSection(apps: readonly AppFacts[]): string {
	return sections(apps, ['cause', 'subject'], ({ notificationSubjects }) => notificationSubjects);
}

type Texts = Readonly<Record<string, string>>;

function sections(apps: readonly AppFacts[], head: readonly string[], textsOf: (app: AppFacts) => Texts): string {
	const own = apps.filter((app) => Object.keys(textsOf(app)).length > 0);
	if (own.length === 0) return 'None.';
	return own
		.flatMap((app) => [
			`## ${app.name}`,
			table(
				head,
				Object.entries(textsOf(app)).map(([key, text]) => [code(key), text]),
			),
		])
		.join('\n\n');
}
