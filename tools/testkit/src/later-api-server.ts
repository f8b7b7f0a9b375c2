// An API server whose clock is ahead: the same one, through a proxy that moves the Date of every answer. An app behind it
// lives so much later, because it takes the time from there.
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as ask } from 'node:https';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { scratchDirectory } from './scratch.ts';

export type LaterApiServer = {
	/** Like the one given, some time later. */
	readonly kubeconfig: string;
	stop(): Promise<void>;
};

export async function startLaterApiServer(kubeconfig: string, aheadMs: number): Promise<LaterApiServer> {
	const config = new KubeConfig();
	config.loadFromFile(kubeconfig);
	const cluster = config.getCurrentCluster();
	if (cluster === null) throw new Error(`${kubeconfig} names no server`);
	const agent = new Agent({ ca: Buffer.from(cluster.caData ?? '', 'base64'), keepAlive: true });
	const token = config.getCurrentUser()?.token ?? '';

	const server = createServer((request: IncomingMessage, response: ServerResponse) => {
		const { host: _, ...headers } = request.headers;
		const upstream = ask(
			new URL(request.url ?? '/', cluster.server),
			{ method: request.method, agent, headers: { ...headers, authorization: `Bearer ${token}` } },
			(answer) => {
				const date = new Date(Date.parse(answer.headers.date ?? '') + aheadMs).toUTCString();
				response.writeHead(answer.statusCode ?? 502, { ...answer.headers, date });
				response.flushHeaders(); // a watch answers long before its first line
				answer.pipe(response);
				answer.on('error', () => response.destroy());
			},
		);
		upstream.on('error', () => response.destroy());
		response.on('close', () => upstream.destroy());
		request.pipe(upstream);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
	const file = join(await scratchDirectory(), 'later.kubeconfig');
	const later = new KubeConfig();
	// Without TLS a kubeconfig is read only with this.
	const plain = { name: 'later', server: `http://127.0.0.1:${address.port}`, skipTLSVerify: true };
	later.loadFromClusterAndUser(plain, { name: 'later', token });
	writeFileSync(file, later.exportConfig(), { mode: 0o600 });
	return {
		kubeconfig: file,
		async stop() {
			server.closeAllConnections();
			agent.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
