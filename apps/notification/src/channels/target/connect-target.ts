// Connects to a receiver. Guarantee: the address that is judged is the address that is connected to, because the names are
// resolved here and nothing resolves them again; TLS is verified, and its authorities are the system's and those of the
// configuration.
import { lookup } from 'node:dns';
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext, connect as tlsConnect } from 'node:tls';
import type { AddressPolicy } from './target-address.ts';

/** Surely nothing was sent. */
export class ConnectError extends Error {
	readonly reason: 'AddressNotAllowed' | 'Unreachable' | 'TlsFailed' | 'Aborted';
	constructor(reason: ConnectError['reason'], message: string) {
		super(message);
		this.reason = reason;
	}
}

export type TargetOptions = {
	readonly isAllowed: AddressPolicy;
	/** Certificates of authorities that are trusted besides the system's, as PEM. */
	ca(): string | undefined;
};
export type Target = { readonly host: string; readonly port: number };

const contexts = new WeakMap<TargetOptions, { readonly own: string; readonly context: SecureContext }>();

/**
 * The authorities for a TLS connection; undefined: the system's. Kept while they are the same: to parse them takes longer than
 * the rest of a send, and a megabyte each time.
 */
export function authorities(options: TargetOptions): SecureContext | undefined {
	const own = options.ca();
	if (own === undefined) return undefined;
	const kept = contexts.get(options);
	if (kept?.own === own) return kept.context;
	const context = createSecureContext({ ca: [...rootCertificates, own] });
	contexts.set(options, { own, context });
	return context;
}

export async function connectTarget(target: Target, options: TargetOptions, abort: AbortSignal): Promise<Socket> {
	const { host, port } = target;
	if (isIP(host) !== 0 && !options.isAllowed(host)) throw notAllowed(host, host);
	return await settled(
		netConnect({ host, port, lookup: guardedLookup(options.isAllowed), noDelay: true }),
		'connect',
		abort,
		(error) =>
			error instanceof ConnectError
				? error
				: new ConnectError('Unreachable', `${host}:${port} cannot be reached: ${codeOf(error)}`),
	);
}

/** TLS on a socket of connectTarget. The socket is destroyed when it fails. */
export async function secure(
	socket: Socket,
	{ host }: Target,
	options: TargetOptions,
	abort: AbortSignal,
): Promise<Socket> {
	const secureContext = authorities(options);
	return await settled(
		tlsConnect({
			socket,
			host,
			...(isIP(host) === 0 ? { servername: host } : {}),
			...(secureContext === undefined ? {} : { secureContext }),
			ALPNProtocols: ['http/1.1'],
		}),
		'secureConnect',
		abort,
		(error) => new ConnectError('TlsFailed', `TLS with ${host} failed: ${codeOf(error)}`),
	);
}

function settled<S extends Socket>(
	socket: S,
	event: 'connect' | 'secureConnect',
	abort: AbortSignal,
	asConnectError: (error: unknown) => ConnectError,
): Promise<S> {
	return new Promise((resolve, reject) => {
		const fail = (error: ConnectError) => {
			forget();
			socket.on('error', () => {}); // the first one counts
			socket.destroy();
			reject(error);
		};
		const onAbort = () =>
			fail(new ConnectError('Aborted', 'the time for the send was over before the receiver was connected'));
		const onError = (error: unknown) => fail(asConnectError(error));
		const onClose = () => onError(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
		const onConnect = () => {
			forget();
			resolve(socket);
		};
		const forget = () => {
			abort.removeEventListener('abort', onAbort);
			socket.off('error', onError).off('close', onClose).off(event, onConnect);
		};
		if (abort.aborted) return onAbort();
		abort.addEventListener('abort', onAbort, { once: true });
		socket.once('error', onError).once('close', onClose).once(event, onConnect);
	});
}

function guardedLookup(isAllowed: AddressPolicy): LookupFunction {
	return (hostname, options, callback) => {
		lookup(hostname, { ...options, all: true }, (error, addresses) => {
			if (error !== null) return callback(error, []);
			const allowed = addresses.filter(({ address }) => isAllowed(address));
			const [first] = allowed;
			if (first === undefined) return callback(notAllowed(hostname, addresses[0]?.address ?? ''), []);
			if (options.all === true) callback(null, allowed);
			else callback(null, first.address, first.family);
		});
	};
}

function notAllowed(host: string, address: string): ConnectError {
	const where = host === address ? address : `${host} (${address})`;
	return new ConnectError(
		'AddressNotAllowed',
		`${where} is a private, loopback or link-local address: allow its network in TARGETS_ALLOWED_NETWORKS, or use another receiver`,
	);
}

/** Codes only: messages of libraries may quote what was sent. */
export function codeOf(error: unknown): string {
	const { code } = error as { code?: unknown };
	if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
	return typeof code === 'string' ? code : 'unknown fault';
}
