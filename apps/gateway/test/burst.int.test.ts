// A storm that comes all at once: three gateways with their default limits.
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { webhook } from './harness/alerts.ts';
import { DEFAULT_LIMITS, type Gateways, logged, startGateways, statuses } from './harness/gateways.ts';
import { type HttpAnswer, httpClient, senderToken } from './http/http-client.ts';

const api = adminApi();
let gateways: Gateways;
let send: ReturnType<typeof httpClient>;

beforeAll(async () => {
	const namespace = await createNamespace(api, 'burst');
	gateways = await startGateways(api, namespace, { limits: DEFAULT_LIMITS });
	send = httpClient(await senderToken(api, namespace), 1000);
});

describe('3,000 signals at once', () => {
	it('300 incidents with 10 callers each: nearly all are stored within the deadline', async () => {
		const startedAt = performance.now();
		const times: number[] = [];
		const answers: HttpAnswer[] = await Promise.all(
			Array.from({ length: 3000 }, async (_, i) => {
				const answer = await send(gateways.processes[i % 3]!, { body: webhook(`burst-${Math.floor(i / 3) % 300}`) });
				times.push(performance.now() - startedAt);
				return answer;
			}),
		);
		const sorted = times.toSorted((a, b) => a - b);
		console.log(
			'burst',
			statuses(answers as never),
			`p50 ${Math.round(sorted[1500]!)} ms, last ${Math.round(sorted[2999]!)} ms`,
		);
		const seconds = gateways.processes.flatMap((process) =>
			logged(process, 'answered').map((line) => Number(line['seconds'])),
		);
		console.log('slowest answer by the gateways', Math.max(...seconds), 's');
		for (const process of gateways.processes)
			console.log(
				'M',
				(await (await fetch(process.metricsUrl)).text())
					.split('\n')
					.filter((l) => /^gateway_(signals_deferred|overload|lock_retry)/.test(l) && !/ 0$/.test(l))
					.join(' '),
			);
		const notServed = answers.filter(({ status }) => status >= 300);
		console.log(notServed.slice(0, 3).map(({ text }) => text.slice(0, 200)));
		const retryAfter = Map.groupBy(notServed, ({ headers }) => String(headers['retry-after']));
		console.log('Retry-After', [...retryAfter].map(([seconds, { length }]) => `${seconds}: ${length}`).join(', '));
		expect(notServed.length).toBeLessThan(300);
	});
});
