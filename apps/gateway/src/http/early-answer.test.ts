// An answer that is made before the whole body has arrived, on a bare connection: does its sender get it?
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startHttpFixture } from '../../test/fixtures/http-fixture.ts';
import { PROMETHEUS } from '../../test/http/routes.ts';
import { createBodyBudget } from '../guard/body-budget.ts';

const MEBIBYTE = 1024 * 1024;
const CHUNK = `10000\r\n${' '.repeat(0x10000)}\r\n`;
const HEAD = [`POST ${PROMETHEUS} HTTP/1.1`, 'Host: gateway', 'Content-Type: application/json', ''].join('\r\n');

const tight = { maxBodyBytes: 8 * MEBIBYTE, bodyBudget: createBodyBudget(MEBIBYTE, { bytesInWork: () => undefined }) };
const { server } = await startHttpFixture(tight);
await server.listen({ port: 0, host: '127.0.0.1' });

type Sender = {
	readonly socket: Socket;
	readonly closed: Promise<unknown>;
	readonly faults: Error[];
	received: string;
};
async function sender(port: number): Promise<Sender> {
	const socket = connect(port, '127.0.0.1');
	const closed = new Promise((resolve) => socket.once('close', resolve));
	const slow: Sender = { socket, closed, faults: [], received: '' };
	slow.socket.on('data', (bytes: Buffer) => (slow.received += bytes.toString('latin1')));
	slow.socket.on('error', (error) => void slow.faults.push(error));
	await once(slow.socket, 'connect');
	return slow;
}
const statuses = ({ received }: Sender) => received.match(/HTTP\/1\.1 \d+/g);

it('a sender that writes its whole body before it reads gets the 503 that was made meanwhile', async () => {
	const slow = await sender((server.server.address() as AddressInfo).port);
	slow.socket.pause();
	slow.socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
	for (let bytes = 0; bytes < 7 * MEBIBYTE; bytes += 0x10000) {
		slow.socket.write(CHUNK);
		await sleep(1);
	}
	slow.socket.end('0\r\n\r\n');
	slow.socket.resume();
	await slow.closed;
	expect([slow.faults, statuses(slow)]).toEqual([[], ['HTTP/1.1 503']]);
});

it('a sender that was answered and never ends its body is cut, without a second answer', async () => {
	const { server: hasty } = await startHttpFixture({ ...tight, receiveTimeoutMs: 600 });
	await hasty.listen({ port: 0, host: '127.0.0.1' });
	const slow = await sender((hasty.server.address() as AddressInfo).port);
	slow.socket.write(`${HEAD}Content-Length: ${2 * MEBIBYTE}\r\n\r\nthe beginning`);
	await slow.closed;
	expect(statuses(slow)).toEqual(['HTTP/1.1 503']);
});
