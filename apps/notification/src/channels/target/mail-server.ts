// Connections to the mail server, kept for a short time for the next message. Guarantee: the content of a message is written
// once at most, and the result says whether the server began to read it. nodemailer's own pool is not used: it sends a message
// again by itself when a connection ends, and does not say whether the content was on its way.
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import SmtpConnection from 'nodemailer/lib/smtp-connection';
import { authorities, ConnectError, connectTarget, type TargetOptions } from './connect-target.ts';

export type MailServerConfig = {
	readonly host: string;
	readonly port: number;
	readonly tls: 'starttls' | 'implicit' | 'off';
	readonly target: TargetOptions;
	readonly sendTimeoutMs: number;
};
export type MailLogin = { readonly user: string; readonly password: string };
export type Mail = { readonly from: string; readonly to: readonly string[]; readonly content: Buffer };

/** An error of the library, as far as it is read here. Its texts quote the server, so they are not shown. */
export type SmtpError = Error & {
	readonly code?: string;
	readonly originalCode?: string;
	readonly response?: string;
	readonly responseCode?: number;
	readonly recipient?: string;
	readonly rejectedErrors?: readonly SmtpError[];
};
export type MailResult =
	| { readonly result: 'accepted'; readonly rejected: readonly SmtpError[] }
	/** No session with the server: nothing was sent. */
	| { readonly result: 'not-connected'; readonly error: ConnectError | SmtpError }
	| { readonly result: 'failed'; readonly error: SmtpError; readonly contentRead: boolean; readonly aborted: boolean };

/** Shorter than any server keeps an idle connection, so that our side closes it. */
const IDLE_MS = 5000;
const MAX_IDLE = 4;
const MAX_ANSWER_BYTES = 65_536;

type Kept = { readonly connection: SmtpConnection; readonly version: string; timer?: NodeJS.Timeout };

export class MailServer {
	readonly #config: MailServerConfig;
	readonly #idle: Kept[] = [];

	constructor(config: MailServerConfig) {
		this.#config = config;
	}

	async send(mail: Mail, login: MailLogin | undefined, abort: AbortSignal): Promise<MailResult> {
		// A connection of the old password must not outlive it.
		const version = JSON.stringify([login, this.#config.target.ca()]);
		const kept = this.#takeIdle(version);
		if (kept !== undefined) {
			const result = await this.#sendOver(kept, mail, abort);
			// The server closed it meanwhile. Nothing of the message was read, so a new connection may take it.
			const isGone =
				result.result === 'failed' && !result.contentRead && !result.aborted && result.error.responseCode === undefined;
			if (!isGone) return result;
		}
		try {
			return await this.#sendOver({ connection: await this.#open(login, abort), version }, mail, abort);
		} catch (error) {
			return { result: 'not-connected', error: error as ConnectError | SmtpError };
		}
	}

	close(): void {
		for (const { connection, timer } of this.#idle.splice(0)) {
			clearTimeout(timer);
			connection.quit();
		}
	}

	#takeIdle(version: string): Kept | undefined {
		for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) {
			clearTimeout(kept.timer);
			if (kept.version === version && !kept.connection.destroyed) return kept;
			kept.connection.close();
		}
		return undefined;
	}

	#keep(kept: Kept): void {
		if (kept.connection.destroyed || this.#idle.length >= MAX_IDLE) return kept.connection.close();
		kept.timer = setTimeout(() => {
			const index = this.#idle.indexOf(kept);
			if (index >= 0) this.#idle.splice(index, 1);
			kept.connection.quit();
		}, IDLE_MS).unref();
		this.#idle.push(kept);
	}

	async #open(login: MailLogin | undefined, abort: AbortSignal): Promise<SmtpConnection> {
		const { host, port, tls, target, sendTimeoutMs } = this.#config;
		const secureContext = authorities(target);
		const socket: Socket = await connectTarget({ host, port }, target, abort);
		const connection = new SmtpConnection({
			connection: socket,
			host,
			port,
			secure: tls === 'implicit',
			requireTLS: tls === 'starttls',
			ignoreTLS: tls === 'off',
			...(secureContext === undefined ? {} : { tls: { secureContext } }),
			// The library's own are minutes. The abort comes first; these end what outlives it.
			connectionTimeout: sendTimeoutMs,
			greetingTimeout: sendTimeoutMs,
			socketTimeout: sendTimeoutMs,
			maxResponseSize: MAX_ANSWER_BYTES,
			logger: false,
		});
		connection.on('error', () => {}); // each step reports its own
		try {
			await step(connection, abort, (done) => connection.connect(done));
			if (login !== undefined)
				await step(connection, abort, (done) =>
					connection.login({ credentials: { user: login.user, pass: login.password } }, done),
				);
			return connection;
		} catch (error) {
			connection.close();
			socket.destroy();
			throw error;
		}
	}

	async #sendOver(kept: Kept, { from, to, content }: Mail, abort: AbortSignal): Promise<MailResult> {
		const { connection } = kept;
		let contentRead = false;
		// Asked for content only after the server said that it takes some.
		const stream = new Readable({
			read() {
				contentRead = true;
				this.push(content);
				this.push(null);
			},
		});
		try {
			const info = await step<{ rejectedErrors?: readonly SmtpError[] } | undefined>(connection, abort, (done) =>
				connection.send({ from, to: [...to], size: content.length }, stream, done as never),
			);
			this.#keep(kept);
			return { result: 'accepted', rejected: info?.rejectedErrors ?? [] };
		} catch (error) {
			stream.destroy();
			connection.close();
			return { result: 'failed', error: error as SmtpError, contentRead, aborted: error instanceof ConnectError };
		}
	}
}

/** One command and its answer; the end of the connection and the abort end it too. */
function step<T = unknown>(
	connection: SmtpConnection,
	abort: AbortSignal,
	run: (done: (error?: Error | null, value?: T) => void) => void,
): Promise<T> {
	return new Promise((resolve, reject) => {
		const settle = (error: Error | null | undefined, value?: T) => {
			abort.removeEventListener('abort', onAbort);
			connection.off('error', onError).off('end', onEnd);
			if (error === null || error === undefined) resolve(value as T);
			else reject(error);
		};
		const onAbort = () => settle(new ConnectError('Aborted', 'the time for the send was over'));
		const onError = (error: Error) => settle(error);
		// The library reports an error first where there is one, in the same turn.
		const onEnd = () => setImmediate(() => settle(Object.assign(new Error('closed'), { code: 'ECONNECTION' })));
		if (abort.aborted) return onAbort();
		abort.addEventListener('abort', onAbort, { once: true });
		connection.on('error', onError).once('end', onEnd);
		run(settle);
	});
}
