// The API server through a proxy that can stop a replica at an exact point: the nth write that it sends is held before it
// arrives, or its answer is, until the test goes on. With it a process is killed or stands still between two of its calls.
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as ask } from 'node:https';
import { join } from 'node:path';
import { atTheEnd, scratchDirectory } from '@kubernaut/testkit';
import { KubeConfig } from '@kubernetes/client-node';

/** As `PATCH notificationrequests/status`. */
export type Write = string;
export type HeldCalls = {
	readonly kubeconfig: string;
	/** Writes that arrived, in order. */
	readonly writes: readonly Write[];
	/** Settles when the write with this number (from 0) is held. */
	hold(number: number, where: 'before' | 'after'): Promise<Write>;
	letGo(): void;
	/** As letGo, when its sender is dead: a write that had not arrived never does. */
	drop(): void;
};

const WRITES: readonly string[] = ['POST', 'PATCH', 'DELETE', 'PUT'];
const COUNTED = /\/(notificationrequests)(?:\/[^/?]+)?(\/status)?(?:\?|$)/;

export async function startHeldCalls(kubeconfig: string): Promise<HeldCalls> {
	const config = new KubeConfig();
	config.loadFromFile(kubeconfig);
	const cluster = config.getCurrentCluster();
	if (cluster === null) throw new Error(`${kubeconfig} names no server`);
	const agent = new Agent({ ca: Buffer.from(cluster.caData ?? '', 'base64'), keepAlive: true });
	const token = config.getCurrentUser()?.token ?? '';
	const writes: Write[] = [];
	let wanted: { number: number; where: 'before' | 'after'; held: (write: Write) => void } | undefined;
	let letGo: (goesOn: boolean) => void = () => {};
	const letGoes = () => new Promise<boolean>((resolve) => (letGo = resolve));

	/** Whether it goes on. */
	async function pause(number: number | undefined, where: 'before' | 'after', write: Write): Promise<boolean> {
		if (number === undefined || wanted?.number !== number || wanted.where !== where) return true;
		const going = letGoes();
		wanted.held(write);
		wanted = undefined;
		return going;
	}
	async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const kind = COUNTED.exec(request.url ?? '');
		const write = `${request.method} ${kind?.[1] ?? ''}${kind?.[2] ?? ''}`;
		const isCounted = kind !== null && WRITES.includes(request.method ?? '');
		const number = isCounted ? writes.push(write) - 1 : undefined;
		if (!(await pause(number, 'before', write))) return;
		const { host: _, ...headers } = request.headers;
		const upstream = ask(
			new URL(request.url ?? '/', cluster?.server),
			{ method: request.method, agent, headers: { ...headers, authorization: `Bearer ${token}` } },
			(answer) =>
				void pause(number, 'after', write).then(() => {
					response.writeHead(answer.statusCode ?? 502, answer.headers);
					response.flushHeaders();
					answer.pipe(response);
					answer.on('error', () => response.destroy());
				}),
		);
		upstream.on('error', () => response.destroy());
		// A write that was sent is done, also when its sender is gone.
		if (!isCounted) response.on('close', () => upstream.destroy());
		upstream.end(Buffer.concat(chunks));
	}

	const server = createServer((request, response) => void pass(request, response));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
	atTheEnd(async () => {
		letGo(false);
		server.closeAllConnections();
		agent.destroy();
		await new Promise((resolve) => server.close(resolve));
	});
	const file = join(await scratchDirectory(), 'held.kubeconfig');
	const held = new KubeConfig();
	// Without TLS a kubeconfig is read only with this.
	const plain = { name: 'held', server: `http://127.0.0.1:${address.port}`, skipTLSVerify: true };
	held.loadFromClusterAndUser(plain, { name: 'held', token });
	writeFileSync(file, held.exportConfig(), { mode: 0o600 });
	return {
		kubeconfig: file,
		writes,
		hold: (number, where) => new Promise((resolve) => (wanted = { number, where, held: resolve })),
		letGo: () => letGo(true),
		drop: () => letGo(false),
	};
}
