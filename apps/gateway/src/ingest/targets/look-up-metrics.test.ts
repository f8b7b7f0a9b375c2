import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { lookUpMetrics, lookUpReadiness } from './look-up-metrics.ts';

const QUARTER_OF_AN_HOUR_MS = 15 * 60_000;

function setUp() {
	let nowMs = 1000;
	const now = () => nowMs;
	const registry = new Registry();
	const observer = lookUpMetrics(registry, now);
	const readiness = lookUpReadiness(now);
	const each = [observer, readiness];
	return {
		forbidden: (resource: 'pods' | 'jobs') => {
			for (const one of each) one.forbidden(resource, `get ${resource}: forbidden`);
		},
		allowed: (resource: 'pods' | 'jobs') => {
			for (const one of each) one.allowed(resource);
		},
		pass: (ms: number) => void (nowMs += ms),
		async shown() {
			const lines = (await registry.metrics()).split('\n');
			const series = lines.filter((line) => /^gateway_target_lookup_forbidden\{.* 1$/.test(line));
			return { series, message: readiness.check().message };
		},
	};
}

const ALLOWED = { series: [], message: 'allowed' };

describe('a right that the look-up of targets lacks', () => {
	it('is shown until a call that uses it is allowed, and apart from others', async () => {
		const { forbidden, allowed, shown } = setUp();
		expect(await shown()).toEqual(ALLOWED);
		forbidden('pods');
		forbidden('jobs');
		allowed('jobs');
		expect(await shown()).toEqual({
			series: ['gateway_target_lookup_forbidden{resource="pods"} 1'],
			message: 'targets are as signals name them: get pods: forbidden',
		});
		allowed('pods');
		expect(await shown()).toEqual(ALLOWED);
	});

	it('is forgotten a quarter of an hour after the last call that was refused', async () => {
		const { forbidden, pass, shown } = setUp();
		forbidden('pods');
		pass(QUARTER_OF_AN_HOUR_MS - 1);
		forbidden('pods');
		pass(QUARTER_OF_AN_HOUR_MS - 1);
		expect((await shown()).series).toHaveLength(1);
		pass(1);
		expect(await shown()).toEqual(ALLOWED);
	});
});
