// A real SMTP server on loopback, with TLS and authentication, that records every message that it took, with the time of its
// own monotonic clock.
import type { AddressInfo, Socket } from 'node:net';
import { simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { ReceiverCertificates } from './certificates.ts';

export type ReceivedMail = {
	readonly at: number;
	readonly from: string;
	/** Of the envelope: the recipients that were accepted. */
	readonly to: readonly string[];
	readonly messageId: string;
	readonly subject: string;
	readonly text: string;
	readonly html: string;
	readonly raw: string;
};
export type SmtpBehaviour = {
	/** Reply code to the greeting, to MAIL FROM, and to the content. */
	readonly connect?: number;
	readonly mail?: number;
	readonly content?: number;
	/** Reply code for a recipient; undefined: accepted. */
	readonly recipient?: (address: string) => number | undefined;
	/** The connection ends: at MAIL FROM, when the content begins, or after all of it, without an answer. */
	readonly drop?: 'mail' | 'content-begins' | 'content-ends';
	/** No answer to MAIL FROM, or to the content. */
	readonly hang?: 'mail' | 'content-ends';
	/** Before the answer to the content. */
	readonly afterMs?: number;
	/** Of every reply that is not a success. */
	readonly words?: string;
};
export type SmtpReceiver = {
	readonly port: number;
	readonly received: readonly ReceivedMail[];
	connections(): number;
	behave(behaviour: SmtpBehaviour): void;
	close(): Promise<void>;
};
export type SmtpOptions = {
	readonly user: string;
	/** As it is now. */
	password(): string;
	readonly implicitTls?: boolean;
	readonly withoutTls?: boolean;
	/** Where it listens; loopback and a free port when absent. */
	readonly address?: string;
	readonly port?: number;
};

export async function startSmtpReceiver(
	{ certificate, key }: ReceiverCertificates,
	options: SmtpOptions,
): Promise<SmtpReceiver> {
	const received: ReceivedMail[] = [];
	const sockets = new Map<number, Socket>();
	let behaviour: SmtpBehaviour = {};
	let connections = 0;
	const drop = ({ remotePort }: SMTPServerSession) => void sockets.get(remotePort)?.destroy();
	const server = new SMTPServer({
		cert: certificate,
		key,
		secure: options.implicitTls === true,
		...(options.withoutTls === true ? { disabledCommands: ['STARTTLS', 'AUTH'], authOptional: true } : {}),
		logger: false,
		closeTimeout: 100,
		onConnect: (_session, done) => done(reply(behaviour.connect, behaviour.words)),
		onAuth({ username, password }, _session, done) {
			if (username === options.user && password === options.password()) done(null, { user: username });
			else done(reply(535, behaviour.words) ?? null);
		},
		onMailFrom(_address, session, done) {
			if (behaviour.drop === 'mail') return drop(session);
			if (behaviour.hang === 'mail') return;
			done(reply(behaviour.mail, behaviour.words));
		},
		onRcptTo: ({ address }, _session, done) => done(reply(behaviour.recipient?.(address), behaviour.words)),
		onData(stream, session, done) {
			if (behaviour.drop === 'content-begins') return void stream.once('data', () => drop(session));
			const recorded = () => {
				if (behaviour.drop === 'content-ends') return drop(session);
				if (behaviour.hang === 'content-ends') return undefined;
				return setTimeout(() => done(reply(behaviour.content, behaviour.words)), behaviour.afterMs ?? 0);
			};
			const gone = () => {}; // the sender was killed in the middle of its message
			void record(stream, session, received, behaviour.content !== undefined).then(recorded, gone);
		},
	});
	server.on('error', () => {}); // connections that are cut are what is tried
	server.server.on('connection', (socket: Socket) => {
		connections++;
		sockets.set(socket.remotePort ?? 0, socket);
	});
	await new Promise<void>((resolve) => server.listen(options.port ?? 0, options.address ?? '127.0.0.1', resolve));
	const { port } = server.server.address() as AddressInfo;
	return {
		port,
		received,
		connections: () => connections,
		behave: (next) => void (behaviour = next),
		close() {
			for (const socket of sockets.values()) socket.destroy();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}

async function record(
	stream: SMTPServerDataStream,
	{ envelope }: SMTPServerSession,
	received: ReceivedMail[],
	isRefused: boolean,
): Promise<void> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) chunks.push(chunk as Buffer);
	if (isRefused) return;
	const at = performance.now();
	const raw = Buffer.concat(chunks);
	const { messageId = '', subject = '', text = '', html } = await simpleParser(raw);
	received.push({
		at,
		from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
		to: envelope.rcptTo.map(({ address }) => address),
		messageId,
		subject,
		text,
		html: html === false ? '' : html,
		raw: raw.toString(),
	});
}

/** A sender must not repeat the words. */
function reply(code: number | undefined, words = 'words of the mail server'): Error | undefined {
	return code === undefined ? undefined : Object.assign(new Error(words), { responseCode: code });
}
