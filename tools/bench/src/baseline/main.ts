// One replica of the baseline as a process: takes the same webhook bodies on the same path as the gateway.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { KubeApi } from '@kubernaut/control-plane';
import type { BenchAlert } from '../signal-request.ts';
import { type Adr052Answer, createAdr052Gateway } from './adr052-gateway.ts';
import { readBaselineEnvironment } from './environment.ts';

const STATUS: Readonly<Record<Adr052Answer['outcome'], number>> = { created: 201, duplicate: 202, failed: 503 };

const { port, kubeconfig, namespace, podName, userAgent, countAfterWait } = readBaselineEnvironment(process.env);
const api = KubeApi.fromFile(kubeconfig, userAgent);
const gateway = createAdr052Gateway({ api, namespace, podName, countAfterWait });

const server = createServer((request, response) => void serve(request, response));
server.keepAliveTimeout = 60_000;
server.listen(port, '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const { status, body } = await answer(request);
	response.writeHead(status, { 'content-type': 'application/json' });
	response.end(JSON.stringify(body));
}

async function answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
	if (request.method !== 'POST') return { status: 200, body: { status: 'ready' } };
	try {
		const { alerts } = JSON.parse(await textOf(request)) as { alerts: [BenchAlert] };
		const result = await gateway.processSignal(alerts[0]);
		return { status: STATUS[result.outcome], body: result };
	} catch (error) {
		return { status: 500, body: { outcome: 'failed', message: error instanceof Error ? error.message : error } };
	}
}

async function textOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString();
}
