// Prometheus and promtool start, answer and stop. No test of the product uses them yet and they take minutes to build,
// so this runs on request only: KUBERNAUT_ALL_PARTS=1.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { obtainPart } from '../src/index.ts';
import { versionIn } from '../src/parts/version.ts';
import { BUILD_LIMIT_MS, cache, expectStopped, json, start } from './run-part.ts';

describe('Prometheus', () => {
	beforeAll(async () => {
		await obtainPart('promtool');
		await obtainPart('prometheus');
	}, BUILD_LIMIT_MS);

	it('answers queries', async () => {
		const config = 'global: { scrape_interval: 1s }\n';
		const prometheus = await start('prometheus', { files: { 'prometheus.yaml': config } });
		expect(await json(`${prometheus.url}/api/v1/query?query=1%2B1`)).toMatchObject({
			status: 200,
			body: { data: { result: [expect.any(Number), '2'] } },
		});
		await expectStopped(prometheus);
	});

	it('has a promtool that tells good rules from bad ones', async () => {
		const promtool = await obtainPart('promtool');
		const check = (expr: string) => {
			const file = join(cache, 'rules.yaml');
			writeFileSync(file, `groups: [{ name: g, rules: [{ alert: A, expr: '${expr}' }] }]\n`);
			return spawnSync(promtool, ['check', 'rules', file], { encoding: 'utf8' });
		};
		expect(check('up == 0')).toMatchObject({ status: 0 });
		expect(check('up ==')).toMatchObject({ status: 1, stderr: expect.stringContaining('parse error') });
	});

	it('has a promtool that is no server', async () => {
		await expect(start('promtool')).rejects.toThrow('promtool is a program that runs once');
		expect(
			versionIn(spawnSync(await obtainPart('promtool'), ['--version'], { encoding: 'utf8' }).stdout),
		).toBeDefined();
	});
});
