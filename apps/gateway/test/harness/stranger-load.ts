// Strangers at full speed, in a thread of their own so that they do not slow down the sender beside them: each has a
// connection, and sends the next token as soon as the last one was answered.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export type Strangers = {
	/** Answers of each status so far. */ counts(): Promise<Record<string, number>>;
	stop(): Promise<unknown>;
};

type Options = { readonly strangers: number; readonly url: string; readonly path: string };

export function startStrangers(options: Options): Strangers {
	const worker = new Worker(new URL(import.meta.url), { workerData: options });
	return {
		counts: () =>
			new Promise((resolve) => {
				worker.once('message', resolve);
				worker.postMessage('counts'); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
			}),
		stop: () => worker.terminate(),
	};
}

function run({ strangers, url, path }: Options): void {
	const { hostname, port } = new URL(url);
	const counts: Record<string, number> = {};
	for (let stranger = 0; stranger < strangers; stranger++) open();
	// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
	parentPort?.on('message', () => parentPort?.postMessage(counts));

	function open(): void {
		const socket = connect(Number(port), hostname);
		const send = () => {
			const token = randomBytes(24).toString('base64url');
			socket.write(
				`POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
			);
		};
		let received = '';
		socket.on('connect', send);
		socket.on('error', () => undefined); // seen as its close
		socket.on('close', () => setTimeout(open, 10));
		socket.on('data', (chunk) => {
			received += chunk.toString('latin1');
			const head = received.indexOf('\r\n\r\n');
			const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
			if (head === -1 || received.length < head + 4 + length) return;
			const status = received.slice(9, 12);
			counts[status] = (counts[status] ?? 0) + 1;
			received = received.slice(head + 4 + length);
			send();
		});
	}
}

if (parentPort !== null && workerData !== null) run(workerData as Options);
