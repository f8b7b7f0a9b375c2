// The live memory of a process: its heap after a full collection, and its external buffers. Resident memory also holds
// garbage that is not collected yet, and rises and falls with it: it hides smaller leaks.
// Read through Node's inspector, so the app itself needs no code for it.
import type { AppProcess } from '@kubernaut/testkit';
import { metric } from './gateways.ts';

/** For NODE_OPTIONS of the process. */
export const INSPECTABLE = '--inspect=127.0.0.1:0';

const INSPECTOR_LINES = ['Debugger listening on ', 'For help, see: ', 'Debugger attached.', 'Debugger ending on '];

export async function liveBytes(app: AppProcess): Promise<number> {
	const socket = new WebSocket(inspectorUrl(app));
	try {
		await new Promise((resolve, reject) => {
			socket.addEventListener('open', resolve, { once: true });
			socket.addEventListener('error', () => reject(new Error('the inspector does not answer')), { once: true });
		});
		const ask = createAsker(socket);
		// Twice: what a finalizer lets go of in the first is collected by the second.
		await ask('HeapProfiler.collectGarbage');
		await ask('HeapProfiler.collectGarbage');
		const { usedSize } = (await ask('Runtime.getHeapUsage')) as { usedSize: number };
		return usedSize + ((await metric(app, 'nodejs_external_memory_bytes')) ?? Number.NaN);
	} finally {
		socket.close();
	}
}

/** Its lines, without those of the inspector. */
export function ownOutput(app: AppProcess): string[] {
	return app.output().filter((line) => !INSPECTOR_LINES.some((start) => line.startsWith(start)));
}

function inspectorUrl(app: AppProcess): string {
	const line = app.output().find((text) => text.startsWith('Debugger listening on '));
	if (line === undefined) throw new Error(`${app.podName} was not started with ${INSPECTABLE}`);
	return line.slice('Debugger listening on '.length);
}

function createAsker(socket: WebSocket): (method: string) => Promise<unknown> {
	let lastId = 0;
	return (method) =>
		new Promise((resolve, reject) => {
			const id = ++lastId;
			const onMessage = ({ data }: MessageEvent) => {
				const answer = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: { message: string } };
				if (answer.id !== id) return;
				socket.removeEventListener('message', onMessage);
				if (answer.error === undefined) resolve(answer.result);
				else reject(new Error(`${method}: ${answer.error.message}`));
			};
			socket.addEventListener('message', onMessage);
			socket.send(JSON.stringify({ id, method }));
		});
}
