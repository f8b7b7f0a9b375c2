// The receivers as a program of their own, for a cluster: Slack, a webhook and a mail server that record what arrives, and a
// port that says what that was. Certificates and the mail server's password are mounted.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { startHttpsReceiver } from './https-receiver.ts';
import { startSmtpReceiver } from './smtp-receiver.ts';

const directory = process.env['RECEIVERS_DIRECTORY'] ?? '/etc/receivers';
const read = (name: string) => readFileSync(join(directory, name), 'utf8');
const certificates = { ca: read('ca.crt'), certificate: read('tls.crt'), key: read('tls.key') };
const address = '0.0.0.0';
const [slack, webhook, mail] = await Promise.all([
	startHttpsReceiver(certificates, { status: 200, body: 'ok' }, { address, port: 8443 }),
	startHttpsReceiver(certificates, { status: 204 }, { address, port: 8444 }),
	startSmtpReceiver(certificates, {
		user: read('mail-user'),
		password: () => read('mail-password'),
		address,
		port: 2525,
	}),
]);
let from = { slack: 0, webhook: 0, mail: 0 };

const control = createServer((request, response) => {
	switch (`${request.method} ${request.url}`) {
		case 'GET /healthz':
			return void response.end('ok');
		case 'GET /received': {
			const received = {
				slack: slack.received.slice(from.slack),
				webhook: webhook.received.slice(from.webhook),
				mail: mail.received.slice(from.mail),
			};
			return void response.setHeader('content-type', 'application/json').end(JSON.stringify(received));
		}
		case 'DELETE /received':
			from = { slack: slack.received.length, webhook: webhook.received.length, mail: mail.received.length };
			return void response.end('{}');
		case 'POST /webhook/hold':
			webhook.behave('hang');
			return void response.end('{}');
		case 'POST /webhook/answer':
			webhook.behave({ status: 204 });
			return void response.end('{}');
		default:
			return void response.writeHead(404).end();
	}
}).listen(8080, address);

process.on('SIGTERM', () => {
	control.closeAllConnections();
	control.close();
	void Promise.all([slack.close(), webhook.close(), mail.close()]).then(() => process.exit(0));
});
