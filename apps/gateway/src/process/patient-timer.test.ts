import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { setPatientTimer } from './patient-timer.ts';

const servers: Server[] = [];
afterEach(() => void servers.splice(0).map((server) => server.close()));

/** A connection whose other end sends a word at once. */
async function connectedTo(word: string): Promise<Socket> {
	const server = createServer((socket) => socket.end(word));
	servers.push(server);
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const address = server.address();
	return createConnection((address as { port: number }).port, '127.0.0.1');
}

function standStill(ms: number): void {
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('a patient timer', () => {
	it('a timer that elapses while the process stands still lets what has arrived be read first', async () => {
		const socket = await connectedTo('here');
		await once(socket, 'connect');
		const order: string[] = [];
		socket.on('data', (data) => order.push(String(data)));
		const elapsed = new Promise<void>((resolve) => setPatientTimer(() => (order.push('elapsed'), resolve()), 20));
		standStill(100);
		await elapsed;
		expect(order).toEqual(['here', 'elapsed']);
	});

	it('elapses after its time', async () => {
		const startedAt = performance.now();
		await new Promise<void>((resolve) => setPatientTimer(resolve, 50));
		expect(performance.now() - startedAt).toBeGreaterThanOrEqual(49);
	});

	it('a cancelled timer does not elapse, also when it is cancelled during its turns', async () => {
		let elapsed = 0;
		const early = setPatientTimer(() => elapsed++, 5);
		const late = setPatientTimer(() => elapsed++, 5);
		early();
		await new Promise((resolve) => setTimeout(() => setImmediate(resolve), 5));
		late();
		await new Promise((resolve) => setTimeout(resolve, 30));
		expect(elapsed).toBe(0);
	});
});
