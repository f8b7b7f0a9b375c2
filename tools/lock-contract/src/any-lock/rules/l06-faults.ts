import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { expect } from 'vitest';
import { within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import { acquire, rejection } from '../answers.ts';
import type { LockPod, LockStage } from '../lock-stage.ts';

export const L6: Rule<LockStage> = {
	id: 'L6',
	title:
		'faults are typed: forbidden (names verb, resource, namespace and the missing rule), throttled, unavailable, timeout',
	checks: [
		{
			title: 'a missing right is `forbidden`, and the message holds the RBAC rule that is missing',
			async run(stage) {
				const { lock } = await stage.podWithoutRights();
				const { apiGroup, plural } = stage.site.port.resource;
				for (const [ask, verb] of [
					[() => lock.tryAcquire(stage.key()), 'create'],
					[() => lock.inspect(stage.key()), 'get'],
				] as const) {
					const rule = JSON.stringify({ apiGroups: [apiGroup], resources: [plural], verbs: [verb] });
					const refused = await rejection(ask());
					expect(refused).toMatchObject({ kind: 'forbidden' });
					expect(String(refused)).toContain(`${verb} ${plural} in ${stage.site.namespace}: forbidden`);
					expect(String(refused)).toContain(rule);
				}
			},
		},
		{
			title: 'a refused connection is `unavailable`',
			async run(stage) {
				const server = createServer();
				const pod = await stage.podOf(server);
				await new Promise((resolve) => server.close(resolve));
				await expectFault(stage, pod, 'unavailable');
			},
		},
		{
			title: 'a server that never answers is `timeout`: no call waits for ever',
			async run(stage) {
				const pod = await stage.podOf(createServer(), { requestTimeoutMs: 150 });
				await within('a fault', expectFault(stage, pod, 'timeout'));
			},
		},
		...[
			{ status: 500, kind: 'unavailable' },
			{ status: 503, kind: 'unavailable' },
			{ status: 429, kind: 'throttled' },
			{ status: 401, kind: 'forbidden' },
		].map(({ status, kind }) => ({
			title: `an API server that answers ${status} is a fault, \`${kind}\`, not contention`,
			async run(stage: LockStage) {
				const failing = createHttpServer((_, answer) => answer.writeHead(status).end('{}'));
				await expectFault(stage, await stage.podOf(failing, { scheme: 'http' }), kind);
			},
		})),
		{
			title: 'after a fault the key is free for the next caller',
			async run(stage) {
				const { pod, relay } = await stage.podBehindRelay();
				const key = stage.key();
				relay.off();
				expect(await rejection(pod.lock.tryAcquire(key))).toMatchObject({ kind: 'unavailable' });
				relay.on();
				await acquire(pod, key);
			},
		},
	],
};

async function expectFault(stage: LockStage, { lock }: LockPod, kind: string): Promise<void> {
	const { LockFault } = stage.site.port;
	for (const outcome of [await rejection(lock.tryAcquire(stage.key())), await rejection(lock.inspect(stage.key()))]) {
		expect(outcome).toBeInstanceOf(LockFault);
		expect(outcome).toMatchObject({ kind });
	}
}
