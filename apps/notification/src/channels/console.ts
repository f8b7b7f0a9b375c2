// The standard output of the pod, for people. Control characters are removed: a message cannot move the cursor of a terminal
// or look like a line of another program's log.
import { write } from 'node:fs';
import type { Message } from '../message/message.ts';
import { onOneLine, plainTextOf } from '../message/plain-text.ts';
import { type Channel, channelRow, type SendEnd } from './channel.ts';

const STDOUT = 1;

export const CONSOLE = channelRow({
	keys: {},
	problems: () => [],
	create: () => consoleChannel((text) => writeAll(Buffer.from(text))),
});

/** `print` resolves when all of it is written. */
export function consoleChannel(print: (text: string) => Promise<void>): Channel {
	/** Settles when all that came before is printed, or has left. */
	let before = Promise.resolve();
	return {
		name: 'console',
		key: 'console',
		receiver: () => 'console',
		async send(message, { abort }) {
			// One after the other: an output that is not read would take a thread of this process for each message.
			const { promise: done, resolve: leave } = Promise.withResolvers<void>();
			const turn = before;
			before = turn.then(() => done);
			const late = aborted(abort);
			await Promise.race([turn, late]);
			if (abort.aborted) {
				leave();
				return { end: 'refused-for-now', reason: 'LocalFault', detail: 'the standard output is not read' };
			}
			const printed = print(consoleText(message)).then(
				(): SendEnd => ({ end: 'delivered' }),
				(error: NodeJS.ErrnoException): SendEnd => ({
					end: 'unknown',
					reason: 'LocalFault',
					detail: `standard output: ${error.code ?? 'unknown fault'}`,
				}),
			);
			void printed.then(() => leave());
			return await Promise.race([printed, late]);
		},
	};
}

export function consoleText(message: Message): string {
	const lines = plainTextOf(message).split('\n');
	return `=== [${message.priority}] ${onOneLine(message.subject)}\n${lines.map((line) => `    ${line}`).join('\n')}\n`;
}

function aborted(abort: AbortSignal): Promise<SendEnd> {
	const end: SendEnd = { end: 'unknown', reason: 'Aborted', detail: 'the standard output was not read in time' };
	if (abort.aborted) return Promise.resolve(end);
	return new Promise((resolve) => abort.addEventListener('abort', () => resolve(end), { once: true }));
}

/** On a thread, because a pipe that is full makes the writer wait. */
function writeAll(bytes: Uint8Array): Promise<void> {
	return new Promise((resolve, reject) => {
		const rest = (offset: number) =>
			write(STDOUT, bytes, offset, bytes.length - offset, null, (error, written) => {
				if (error !== null) reject(error);
				else if (offset + written >= bytes.length) resolve();
				else rest(offset + written);
			});
		rest(0);
	});
}
