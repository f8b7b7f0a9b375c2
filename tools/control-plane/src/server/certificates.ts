// The certificates of one throwaway control plane: an authority, the servers', the API server's for its etcd, and an
// administrator's. The authority's key is never written to disk: no further certificate can be issued.
import { generateKeyPairSync, type webcrypto } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import 'reflect-metadata'; // @peculiar/x509 wants it loaded before itself
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 60 * 60 * 1000;
// Tests move clocks by hours; a certificate that starts now would be "not yet valid" for a clock that is behind.
const BACKDATED_MS = 2 * DAY_MS;
const LIFETIME_MS = 365 * DAY_MS;

export type Credentials = { ca: string; certificate: string; key: string };

type Signer = { name: string; keys: webcrypto.CryptoKeyPair };

/** Writes what API server and etcd read into the directory and returns what an administrator needs. `serverNames`: more of them. */
export async function createCertificates(directory: string, serverNames: readonly string[] = []): Promise<Credentials> {
	const authority: Signer = { name: 'CN=kubernaut-control-plane', keys: await generateKeys() };
	const ca = await x509.X509CertificateGenerator.createSelfSigned({
		...validity(),
		name: authority.name,
		keys: authority.keys,
		signingAlgorithm: ALGORITHM,
		extensions: [
			new x509.BasicConstraintsExtension(true, undefined, true),
			new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
		],
	});
	const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
	// Also a client's: etcd's gateway for JSON calls etcd itself with it.
	const server = await sign(
		authority,
		'CN=kubernaut-server',
		[serverAuth, clientAuth],
		[
			{ type: 'ip', value: '127.0.0.1' },
			{ type: 'dns', value: 'localhost' },
			{ type: 'dns', value: 'kubernetes.default.svc' },
			...serverNames.map((value) => ({ type: 'dns' as const, value })),
		],
	);
	const etcdClient = await sign(authority, 'CN=kube-apiserver', [clientAuth]);
	const admin = await sign(authority, 'CN=kubernaut-admin,O=system:masters', [clientAuth]);
	const serviceAccounts = generateKeyPairSync('ec', {
		namedCurve: 'P-256',
		publicKeyEncoding: { type: 'spki', format: 'pem' },
		privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
	});

	const caPem = ca.toString('pem');
	write(directory, 'ca.crt', caPem);
	write(directory, 'server.crt', server.certificate);
	write(directory, 'server.key', server.key);
	write(directory, 'etcd-client.crt', etcdClient.certificate);
	write(directory, 'etcd-client.key', etcdClient.key);
	write(directory, 'service-account.pub', serviceAccounts.publicKey);
	write(directory, 'service-account.key', serviceAccounts.privateKey);
	return { ca: caPem, ...admin };
}

/** Of a client that etcd and the API server of this directory take for one of theirs; undefined where there are none. */
export function clientCredentials(directory: string): Credentials | undefined {
	if (!existsSync(join(directory, 'etcd-client.key'))) return undefined;
	const read = (name: string) => readFileSync(join(directory, name), 'utf8');
	return { ca: read('ca.crt'), certificate: read('etcd-client.crt'), key: read('etcd-client.key') };
}

async function sign(
	authority: Signer,
	subject: string,
	usages: x509.ExtendedKeyUsage[],
	names: x509.JsonGeneralNames = [],
): Promise<{ certificate: string; key: string }> {
	const keys = await generateKeys();
	const certificate = await x509.X509CertificateGenerator.create({
		...validity(),
		subject,
		issuer: authority.name,
		publicKey: keys.publicKey,
		signingKey: authority.keys.privateKey,
		signingAlgorithm: ALGORITHM,
		extensions: [
			new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
			new x509.ExtendedKeyUsageExtension(usages),
			...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
		],
	});
	const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
	return { certificate: certificate.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
	return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function validity(): { notBefore: Date; notAfter: Date } {
	const now = Date.now();
	return { notBefore: new Date(now - BACKDATED_MS), notAfter: new Date(now + LIFETIME_MS) };
}

function write(directory: string, name: string, content: string): void {
	writeFileSync(join(directory, name), content, { mode: 0o600 });
}
