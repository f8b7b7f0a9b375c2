// The least that a gateway in Node can be: a server that reads the alert, makes the bare calls and answers. No tokens, no
// check, no lock protocol, no cache, no log. What the gateway adds is its distance from this, not from the calls alone.
import { createServer } from 'node:http';
import { ApiFloor } from './api-floor.ts';
import { readIdentity } from './identity.ts';

const [kubeconfig, namespace, port] = process.argv.slice(2);
if (kubeconfig === undefined || namespace === undefined || port === undefined)
	throw new Error('usage: bare-hop-main.ts <kubeconfig> <namespace> <port>');
const floor = new ApiFloor(readIdentity(kubeconfig), namespace, 1);

createServer(async (request, response) => {
	if (request.method === 'GET') return response.end();
	let text = '';
	for await (const chunk of request) text += String(chunk);
	const { alerts } = JSON.parse(text) as { alerts: { labels: { deployment: string } }[] };
	const { lease } = await floor.lockAndCreate(alerts[0]!.labels.deployment);
	response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ created: true }));
	return floor.removeLease(lease);
}).listen(Number(port), '127.0.0.1');
