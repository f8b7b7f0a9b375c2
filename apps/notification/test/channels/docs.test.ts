// The examples of docs/notifications.md work as they stand there.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadAppConfig } from '../../src/config.ts';
import { channelsFor, parseRouting } from '../../src/routing/routing-rules.ts';
import { directory } from './set-up.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/notifications.md'), 'utf8');

function example(name: string): string {
	const found = new RegExp(`<!-- example: ${name} -->\\n\`\`\`yaml\\n([\\s\\S]*?)\`\`\``).exec(PAGE)?.[1];
	if (found === undefined) throw new Error(`docs/notifications.md has no example ${name}`);
	return found;
}

describe('docs/notifications.md', () => {
	it('the example of settings is taken, with the files of the example of a Secret', () => {
		const mounted = directory();
		const { stringData } = parse(example('secret')) as { stringData: Record<string, string> };
		for (const [name, value] of Object.entries(stringData)) writeFileSync(join(mounted, name), value);
		writeFileSync(join(mounted, 'routing.yaml'), example('routing'));
		const settings = join(mounted, 'settings.yaml');
		writeFileSync(settings, example('settings').replaceAll(/\/etc\/kubernaut\/(?:channels|routing)/g, mounted));
		expect(loadAppConfig(settings, {})).toHaveProperty('config.emailTo', [
			'oncall@example.com',
			'platform@example.com',
		]);
	});

	it('a routing file that names a channel which is not set up refuses the start', () => {
		const path = join(directory(), 'routing.yaml');
		writeFileSync(path, example('routing'));
		expect(loadAppConfig(undefined, { ROUTING_FILE: path })).toEqual({
			problems: [
				expect.stringContaining(
					`ROUTING_FILE: ${path} is not valid: rules[0].channels: slack is not set up: set SLACK_WEBHOOK_URL_FILE`,
				),
			],
		});
	});

	it('the example of routing is valid, and routes as the page says', () => {
		const parsed = parseRouting(example('routing'));
		if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
		const routed = (type: string, priority: string, context: object) =>
			channelsFor(parsed.rules, { type, priority, context });
		expect(routed('Escalation', 'Critical', { labels: { team: 'payments' } })).toEqual(['slack', 'email', 'webhook']);
		expect(routed('Escalation', 'Critical', { labels: { team: 'shop' } })).toEqual(['slack', 'email']);
		expect(routed('Completion', 'Low', { cause: 'completed', severity: 'warning' })).toEqual(['log']);
		expect(routed('Completion', 'Low', { cause: 'completed', severity: 'critical' })).toEqual(['slack']);
	});
});
