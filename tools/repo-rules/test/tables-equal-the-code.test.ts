import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AppFacts, ConfigKeyFacts } from '../src/docs/app-facts.ts';
import { configurationSection } from '../src/docs/configuration-section.ts';
import { errorsSection } from '../src/docs/errors-section.ts';
import { logMessagesSection } from '../src/docs/log-messages-section.ts';
import { metricsSection } from '../src/docs/metrics-section.ts';
import { generatePages, PAGES, tablesEqualTheCode } from '../src/docs/pages.ts';
import { eventsSection, notificationsSection } from '../src/docs/texts-section.ts';
import { madeUpTree } from './made-up-tree.ts';

const EMPTY_PAGES = Object.fromEntries(
	PAGES.map(({ path, section }) => [
		path,
		`# By hand\n\n<!-- generated: ${section} -->\n<!-- /generated -->\n\nAfter.\n`,
	]),
);
const APP = {
	'apps/gateway/src/main.ts': '',
	'apps/gateway/src/lock/lease-lock.example.ts': 'export const EXAMPLE = 1;\n',
	'apps/gateway/src/errors.ts': "export const ERROR_CODES = { KUBE_GONE: 'List again.' };",
	'apps/gateway/src/config.ts':
		"export const CONFIG_KEYS = { port: { env: 'PORT', path: 'server.port', value: { allowed: 'a port' }, default: '80', help: 'Listens.' } };",
	'apps/gateway/src/act/event-recorder.ts': "export const EVENT_REASONS = { Skipped: 'Another run repaired it.' };",
	'apps/gateway/src/decide/notification.ts': "export const NOTIFICATION_SUBJECTS = { Failed: 'Remediation failed' };",
	'apps/gateway/src/lock/lock-log.ts': "log.info({ key }, 'acquired lease');",
	'apps/gateway/src/metrics.ts':
		"export const createMetrics = () => ({ registry: { clear() {}, getMetricsAsArray: () => [{ name: 'gateway_ready', type: 'gauge', help: 'Ready', labelNames: ['pod'] }] } });",
};

describe('pages', () => {
	it('are stale until they are generated, then current', async () => {
		const root = madeUpTree({ ...APP, ...EMPTY_PAGES });
		const paths = PAGES.map(({ path }) => path);
		const stale = await tablesEqualTheCode(root);
		expect(stale.map(({ where }) => where)).toEqual(paths);
		expect(stale[0]?.what).toContain('npm run generate');

		expect(await generatePages(root)).toEqual(paths);
		expect(await tablesEqualTheCode(root)).toEqual([]);
		expect(await generatePages(root)).toEqual([]);
		const errors = readFileSync(join(root, 'docs/errors.md'), 'utf8');
		expect(errors).toMatch(
			/^# By hand\n\n<!-- generated: errors -->\n\n\| code .*\n.*\n\| `KUBE_GONE` \| List again\. \| all \|/,
		);
		expect(errors).toMatch(/<!-- \/generated -->\n\nAfter\.\n$/);
		for (const [page, row] of [
			['log-messages', '| `acquired lease` | info | all |'],
			['events', '| `Skipped` | Another run repaired it. |'],
			['notifications', '| `Failed` | Remediation failed |'],
		])
			expect(readFileSync(join(root, `docs/${page}.md`), 'utf8')).toContain(row);
	});

	it('that were edited by hand inside the section are found', async () => {
		const root = madeUpTree({ ...APP, ...EMPTY_PAGES });
		await generatePages(root);
		const path = join(root, 'docs/metrics.md');
		writeFileSync(path, readFileSync(path, 'utf8').replace('gauge', 'counter'));
		expect(await tablesEqualTheCode(root)).toMatchObject([{ where: 'docs/metrics.md' }]);
	});

	it('must be there and have the section', async () => {
		const root = madeUpTree({ ...APP, ...EMPTY_PAGES, 'docs/errors.md': '# Errors' });
		await generatePages(root).catch(() => undefined);
		const violations = await tablesEqualTheCode(root);
		expect(violations).toContainEqual({
			where: 'docs/errors.md',
			what: expect.stringContaining('<!-- generated: errors -->'),
		});
		expect(await tablesEqualTheCode(madeUpTree(APP))).toContainEqual({ where: 'docs/errors.md', what: 'is missing' });
	});

	it('say which export an app lacks', async () => {
		const root = madeUpTree({ ...APP, ...EMPTY_PAGES, 'apps/gateway/src/errors.ts': 'export {};' });
		await expect(tablesEqualTheCode(root)).rejects.toThrow('apps/gateway/src/errors.ts exports no ERROR_CODES');
	});
});

describe('tables', () => {
	const app = (name: string, facts: Partial<AppFacts>): AppFacts => ({
		name,
		errors: {},
		configKeys: [],
		metrics: [],
		logMessages: [],
		eventReasons: {},
		notificationSubjects: {},
		targets: [],
		...facts,
	});
	const key = (env: string, value: string | undefined): ConfigKeyFacts => ({
		env,
		path: env.toLowerCase(),
		default: value,
		help: 'Words.',
		value: { allowed: 'a | b' },
	});

	it('say in which apps an error means what', () => {
		const errors = errorsSection([
			app('one', { errors: { B: 'x', A: 'y' } }),
			app('two', { errors: { B: 'x', A: 'z' } }),
		]);
		expect(errors.split('\n').slice(2)).toEqual(['| `A` | y | one |', '| `A` | z | two |', '| `B` | x | all |']);
	});

	it('tell the keys of every app from those of one', () => {
		const configuration = configurationSection([
			app('one', { configKeys: [key('SHARED', '1'), key('PORT', '80')] }),
			app('two', { configKeys: [key('SHARED', '1'), key('PORT', undefined)] }),
			app('three', { configKeys: [key('SHARED', '1')] }),
		]);
		expect(configuration.split('\n').filter((line) => /^(?:##|\| `|Noth)/.test(line))).toEqual([
			'## Every app',
			'| `SHARED` | `shared` | `1` | a \\| b | Words. |',
			'## one',
			'| `PORT` | `port` | `80` | a \\| b | Words. |',
			'## two',
			'| `PORT` | `port` | none | a \\| b | Words. |',
			'## three',
			'Nothing of its own.',
		]);
	});

	it('list a log message once, with its levels and apps', () => {
		const messages = logMessagesSection([
			app('one', { logMessages: [{ message: 'started', levels: ['info'] }] }),
			app('two', {
				logMessages: [
					{ message: 'started', levels: ['info'] },
					{ message: 'answered', levels: ['info', 'warn'] },
				],
			}),
		]);
		expect(messages.split('\n').slice(2)).toEqual(['| `answered` | info, warn | two |', '| `started` | info | all |']);
	});

	it('of Event reasons and subjects name the apps that have some', () => {
		const apps = [
			app('one', {}),
			app('two', { eventReasons: { Skipped: 'x' }, notificationSubjects: { Failed: 'y' } }),
		];
		expect(eventsSection(apps)).toBe('## two\n\n| reason | meaning |\n| --- | --- |\n| `Skipped` | x |');
		expect(notificationsSection(apps)).toContain('| `Failed` | y |');
		expect(eventsSection([app('one', {})])).toBe('None.');
	});

	it('leave out the metrics of the library, and say so', () => {
		const metric = { type: 'counter', help: 'Words', labelNames: [] };
		const metrics = metricsSection([
			app('one', {
				metrics: [
					{ name: 'process_cpu', ...metric },
					{ name: 'one_total', ...metric, labelNames: ['a', 'b'] },
				],
			}),
		]);
		expect(metrics).toContain('| `one_total` | counter | `a`, `b` | Words |');
		expect(metrics).not.toContain('process_cpu');
		expect(metrics).toContain('And the `process_` and `nodejs_` metrics');
	});
});
