// The pages of docs/ that hold a generated section: what stands between `<!-- generated: name -->` and
// `<!-- /generated -->` comes from the code, the rest is written by hand.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exists, readText } from '../tree.ts';
import type { Violation } from '../violation.ts';
import { type AppFacts, loadApps } from './app-facts.ts';
import { configurationSection } from './configuration-section.ts';
import { errorsSection } from './errors-section.ts';
import { lockExampleSection } from './lock-example-section.ts';
import { logMessagesSection } from './log-messages-section.ts';
import { metricsSection } from './metrics-section.ts';
import { targetsSection } from './targets-section.ts';
import { eventsSection, notificationsSection } from './texts-section.ts';

const GENERATE_COMMAND = 'npm run generate';

type Page = {
	readonly path: string;
	readonly section: string;
	render(apps: readonly AppFacts[], root: string): string;
};

export const PAGES: readonly Page[] = [
	{ path: 'docs/configuration.md', section: 'configuration', render: configurationSection },
	{ path: 'docs/errors.md', section: 'errors', render: errorsSection },
	{ path: 'docs/metrics.md', section: 'metrics', render: metricsSection },
	{ path: 'docs/log-messages.md', section: 'log messages', render: logMessagesSection },
	{ path: 'docs/events.md', section: 'events', render: eventsSection },
	{ path: 'docs/notifications.md', section: 'notifications', render: notificationsSection },
	{ path: 'docs/targets.md', section: 'targets', render: targetsSection },
	{ path: 'docs/locks/README.md', section: 'lock example', render: lockExampleSection },
];

class NoSuchSectionError extends Error {
	constructor(section: string) {
		super(`put "<!-- generated: ${section} -->" and "<!-- /generated -->" where the table belongs`);
		this.name = 'NoSuchSectionError';
	}
}

function replaceSection(text: string, section: string, content: string): string {
	const pattern = new RegExp(`(<!-- generated: ${section} -->\n)[^]*?(<!-- /generated -->)`);
	if (!pattern.test(text)) throw new NoSuchSectionError(section);
	return text.replace(pattern, (_, start: string, end: string) => `${start}\n${content}\n\n${end}`);
}

/** Writes the pages that are not current, and says which. */
export async function generatePages(root: string): Promise<string[]> {
	const apps = await loadApps(root);
	return PAGES.flatMap((page) => {
		const text = readText(root, page.path);
		const wanted = replaceSection(text, page.section, page.render(apps, root));
		if (wanted === text) return [];
		writeFileSync(join(root, page.path), wanted);
		return [page.path];
	});
}

export async function tablesEqualTheCode(root: string): Promise<Violation[]> {
	const apps = await loadApps(root);
	return PAGES.flatMap((page) => {
		if (!exists(root, page.path)) return [{ where: page.path, what: 'is missing' }];
		const text = readText(root, page.path);
		try {
			return replaceSection(text, page.section, page.render(apps, root)) === text
				? []
				: [{ where: page.path, what: `does not say what the code says: run "${GENERATE_COMMAND}"` }];
		} catch (error) {
			if (error instanceof NoSuchSectionError) return [{ where: page.path, what: error.message }];
			throw error;
		}
	});
}
