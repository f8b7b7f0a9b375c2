import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { expect } from 'vitest';
import { acquire, type ExamRoom, refusal } from '../exam-room.ts';
import { connect } from '../exam-site.ts';
import { within } from '../patience.ts';
import type { Rule } from '../rule.ts';

export const L6: Rule = {
	id: 'L6',
	title: 'faults are typed: forbidden (names verb, resource, namespace and the missing rule), unavailable, timeout',
	checks: [
		{
			title: 'forbidden names what is missing',
			async run(room) {
				const kube = connect(room.site.rooms, await room.site.stranger());
				room.onClose(() => kube.close());
				const { lock } = room.pod({ kube });
				const key = room.key();
				for (const [ask, verb] of [
					[() => lock.tryAcquire(key), 'create'],
					[() => lock.inspect(key), 'get'],
				] as const)
					expect(await refusal(ask())).toMatchObject({
						kind: 'forbidden',
						message: expect.stringContaining(
							`${verb} leases in ${room.site.namespace}: forbidden; the Role lacks {"apiGroups":["coordination.k8s.io"],"resources":["leases"],"verbs":["${verb}"]}`,
						),
					});
			},
		},
		{
			title: 'a connection that is refused is unavailable',
			async run(room) {
				const server = await listen(room, createServer());
				server.close();
				const { lock } = room.pod({ kube: connectTo(room, server.url, 5000) });
				expect(await refusal(lock.tryAcquire(room.key()))).toMatchObject({ kind: 'unavailable' });
			},
		},
		{
			title: 'a server that says nothing is a timeout: no call waits for ever',
			async run(room) {
				const server = await listen(room, createServer());
				const { lock, client } = room.pod({ kube: connectTo(room, server.url, 150) });
				const name = lock.leaseName(room.key());
				const lease = room.toLease({ metadata: { name, uid: 'u', resourceVersion: '1' }, spec: {} });
				const now = new Date(0).toISOString();
				const write = {
					name,
					key: 'k',
					holder: 'a_1',
					durationMs: 30_000,
					transitions: 0,
					acquireTime: now,
					renewTime: now,
				};
				const calls = [
					lock.tryAcquire(room.key()),
					client.create(write),
					client.read(name),
					client.replace(lease, write),
					client.remove(lease),
				];
				for (const end of await within('an answer or a fault', Promise.all(calls.map((call) => call.catch(asValue)))))
					expect(end).toMatchObject({ kind: 'timeout' });
			},
		},
		...[
			{ status: 500, kind: 'unavailable' },
			{ status: 503, kind: 'unavailable' },
			{ status: 429, kind: 'unavailable' },
			{ status: 401, kind: 'forbidden' },
		].map(({ status, kind }) => ({
			title: `an API server that answers ${status} is a fault, ${kind}, and no contention`,
			run: (room: ExamRoom) => expectFault(room, status, kind),
		})),
		{
			title: 'a fault leaves the key free for the next caller',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				pod.client.fail('create', room.fault('unavailable'));
				expect(await refusal(pod.lock.tryAcquire(key))).toMatchObject({ kind: 'unavailable' });
				await acquire(pod, key);
			},
		},
	],
};

async function expectFault(room: ExamRoom, status: number, kind: string): Promise<void> {
	const refusing = createHttpServer((_, answer) => answer.writeHead(status).end('{}'));
	const { url } = await listen(room, refusing, 'http');
	const { lock } = room.pod({ kube: connectTo(room, url, 5000) });
	const outcome = await lock.tryAcquire(room.key()).catch(asValue);
	expect(outcome).toBeInstanceOf(room.site.rooms.lock.LockFault);
	expect(outcome).toMatchObject({ kind });
}

function asValue(error: unknown): unknown {
	return error;
}

function connectTo(room: ExamRoom, server: string, requestTimeoutMs: number) {
	const config = new KubeConfig();
	config.loadFromClusterAndUser({ name: 'x', server, skipTLSVerify: true }, { name: 'x' });
	const kube = room.site.rooms.kube.createKubeClient(config, requestTimeoutMs, { called() {} });
	room.onClose(() => kube.close());
	return kube;
}

async function listen(room: ExamRoom, server: Server, scheme = 'https'): Promise<{ url: string; close(): void }> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const close = () => void server.close();
	room.onClose(close);
	return { url: `${scheme}://127.0.0.1:${port}`, close };
}
