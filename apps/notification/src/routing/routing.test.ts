import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { Registry } from 'prom-client';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { allOf } from '../process/all-observers.ts';
import { Routing, type RoutingObserver, routingProblem } from './routing.ts';
import { routingLog } from './routing-log.ts';
import { routingMetrics } from './routing-metrics.ts';

const to = (channel: string) => `rules: [{ channels: ${channel} }]`;
const SPEC = { type: 'Completion', priority: 'Low' };

let path: string;
let events: unknown[];
let clock: ManualClock;
beforeEach(() => {
	const directory = mkdtempSync(join(tmpdir(), 'routing-'));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	path = join(directory, 'routing.yaml');
	events = [];
	clock = new ManualClock();
});
const observer: RoutingObserver = {
	loaded: (event) => void events.push(event),
	rejected: (event) => void events.push(event),
};
const start = (file: string | undefined = path, also: RoutingObserver = observer) =>
	new Routing(file, {
		missingKey: (channel) => (channel === 'slack' ? 'SLACK_KEY' : undefined),
		observer: also,
		clock,
	});

describe('the routing file', () => {
	it('is read again when it changes, while messages are routed', () => {
		writeFileSync(path, to('log'));
		const routing = start();
		expect(routing.channelsFor(SPEC)).toEqual(['log']);
		writeFileSync(path, to('[webhook, log]'));
		clock.advance(2000);
		expect(routing.channelsFor(SPEC)).toEqual(['webhook', 'log']);
		expect(events).toEqual([{ rules: 1 }, { rules: 1 }]);
		expect(routing.check()).toEqual({ name: 'routing', ok: true, message: '1 rules' });
	});

	it('that is not valid any more keeps the old rules, and is reported once', () => {
		writeFileSync(path, to('webhook'));
		const routing = start();
		writeFileSync(path, to('pager'));
		clock.advance(2000);
		clock.advance(2000);
		const problem = `${path} is not valid: rules[0].channels: "pager" is not one of slack, email, webhook, console, file, log`;
		expect(routing.channelsFor(SPEC)).toEqual(['webhook']);
		expect(events).toEqual([{ rules: 1 }, { problem }]);
		expect(routing.check()).toEqual({
			name: 'routing',
			ok: true,
			message: `1 rules of the last valid file; rejected: ${problem}`,
		});
		writeFileSync(path, to('email'));
		clock.advance(2000);
		expect(routing.channelsFor(SPEC)).toEqual(['email']);
		expect(routing.problem).toBeUndefined();
	});

	it('that goes away keeps the old rules, and is reported once', () => {
		writeFileSync(path, to('webhook'));
		const routing = start();
		rmSync(path);
		clock.advance(2000);
		clock.advance(2000);
		expect(routing.channelsFor(SPEC)).toEqual(['webhook']);
		expect(events).toEqual([{ rules: 1 }, { problem: `${path} cannot be read: ENOENT` }]);
	});

	it('that is not valid at the start has a problem, for a refusal to start', () => {
		writeFileSync(path, to('slack'));
		const want = `${path} is not valid: rules[0].channels: slack is not set up: set SLACK_KEY`;
		expect(start().problem).toBe(want);
		expect(routingProblem(path, () => 'SLACK_KEY')).toBe(want);
		expect(routingProblem(path, () => undefined)).toBeUndefined();
	});

	it('is not looked at after the stop', () => {
		writeFileSync(path, to('log'));
		const routing = start();
		routing.stop();
		writeFileSync(path, to('webhook'));
		clock.advance(10_000);
		expect(routing.channelsFor(SPEC)).toEqual(['log']);
	});

	it('that is not set sends everything to log', () => {
		const routing = new Routing(undefined, { missingKey: () => undefined, observer, clock });
		expect(routing.channelsFor(SPEC)).toEqual(['log']);
		expect(routing.check().message).toBe('no file: every message goes to log');
	});

	it('shows in the log and in the metrics whether it is in use', async () => {
		const registry = new Registry();
		const lines: unknown[] = [];
		const line = (level: string) => (fields: object, message: string) => void lines.push([level, message, fields]);
		const log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
		const valid = async () =>
			(await registry.getSingleMetric('notification_routing_file_valid')?.get())?.values[0]?.value;
		writeFileSync(path, to('log'));
		start(path, allOf(routingMetrics(registry), routingLog(log)));
		expect(await valid()).toBe(1);
		writeFileSync(path, 'rules: []');
		clock.advance(2000);
		expect(await valid()).toBe(0);
		expect(lines).toMatchObject([
			['info', 'routing rules loaded', { rules: 1 }],
			[
				'error',
				'routing file rejected, the last valid rules stay in use',
				{ problem: expect.stringContaining('rules: must be a list') },
			],
		]);
	});
});
