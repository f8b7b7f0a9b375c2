// The least that a gateway in Node can be: a server that reads the alert, makes the bare calls and answers, and follows the
// two kinds that a gateway must follow. No tokens, no checks, no lock protocol, no cache, no log. What the gateway adds is
// its distance from this, not from the calls alone.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { requestsPath } from '../signal-request.ts';
import { ApiFloor } from './api-floor.ts';
import { readIdentity } from './identity.ts';

const [kubeconfig, namespace, port] = process.argv.slice(2);
if (kubeconfig === undefined || namespace === undefined || port === undefined)
	throw new Error('usage: bare-hop-main.ts <kubeconfig> <namespace> <port>');
const identity = readIdentity(kubeconfig);
const floor = new ApiFloor(identity, namespace, 1);
const watches = new Pool(identity.server, { allowH2: false, bodyTimeout: 0, connect: { ca: identity.ca } });

async function follow(path: string): Promise<void> {
	const headers = { authorization: `Bearer ${identity.token}`, accept: 'application/json' };
	const { statusCode, body } = await watches.request({ method: 'GET', path: `${path}?watch=1`, headers });
	if (statusCode !== 200) throw new Error(`watch of ${path}: ${statusCode}`);
	createInterface({ input: body }).on('line', (line) => void JSON.parse(line));
}
for (const path of [requestsPath(namespace), `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`])
	await follow(path);

async function handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
	if (request.method === 'GET') return response.end();
	let text = '';
	for await (const chunk of request) text += String(chunk);
	const { alerts } = JSON.parse(text) as { alerts: { labels: { deployment: string } }[] };
	const answer = () =>
		response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ created: true }));
	if (request.headers['x-calls'] === 'none') return answer();
	const { lease } = await floor.lockAndCreate(alerts[0]!.labels.deployment);
	answer();
	return floor.removeLease(lease);
}
createServer((request, response) => void handle(request, response)).listen(Number(port), '127.0.0.1');
