import type { AppFacts } from './app-facts.ts';
import { code, table } from './markdown.ts';

const OF_THE_LIBRARY = /^(?:process|nodejs)_/;

export function metricsSection(apps: readonly AppFacts[]): string {
	return apps
		.flatMap((app) => {
			const own = app.metrics.filter(({ name }) => !OF_THE_LIBRARY.test(name));
			return [
				`## ${app.name}`,
				table(
					['metric', 'type', 'labels', 'meaning'],
					own.map(({ name, type, labelNames, help }) => [
						code(name),
						type,
						labelNames.length === 0 ? 'none' : labelNames.map(code).join(', '),
						help,
					]),
				),
				...(own.length < app.metrics.length ? ['And the `process_` and `nodejs_` metrics of the library.'] : []),
			];
		})
		.join('\n\n');
}
