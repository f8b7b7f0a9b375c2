import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Credentials, createCertificates } from './certificates.ts';

const HOUR_MS = 60 * 60 * 1000;

let directory: string;
let admin: Credentials;
let ca: X509Certificate;
beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), 'certificates-'));
	admin = await createCertificates(directory);
	ca = new X509Certificate(admin.ca);
});
afterAll(() => rmSync(directory, { recursive: true }));

const file = (name: string) => readFileSync(join(directory, name), 'utf8');
const leaf = (name: string) =>
	name === 'admin'
		? { certificate: new X509Certificate(admin.certificate), key: createPrivateKey(admin.key) }
		: { certificate: new X509Certificate(file(`${name}.crt`)), key: createPrivateKey(file(`${name}.key`)) };

const SERVER = '1.3.6.1.5.5.7.3.1';
const CLIENT = '1.3.6.1.5.5.7.3.2';

describe.each([
	{ name: 'server', wantSubject: 'CN=kubernaut-server', wantUsages: [SERVER, CLIENT] },
	{ name: 'etcd-client', wantSubject: 'CN=kube-apiserver', wantUsages: [CLIENT] },
	{ name: 'admin', wantSubject: 'CN=kubernaut-admin\nO=system:masters', wantUsages: [CLIENT] },
])('$name', ({ name, wantSubject, wantUsages }) => {
	it('is signed by the authority, for its uses, and fits its key', () => {
		const { certificate, key } = leaf(name);
		expect(certificate.verify(ca.publicKey)).toBe(true);
		expect(certificate.checkIssued(ca)).toBe(true);
		expect(certificate.checkPrivateKey(key)).toBe(true);
		expect(certificate.ca).toBe(false);
		expect(certificate.subject).toBe(wantSubject);
		expect(certificate.keyUsage).toEqual(wantUsages);
	});

	it('is valid also for a clock that is hours behind or months ahead', () => {
		for (const certificate of [leaf(name).certificate, ca]) {
			expect(certificate.validFromDate.getTime()).toBeLessThan(Date.now() - 24 * HOUR_MS);
			expect(certificate.validToDate.getTime()).toBeGreaterThan(Date.now() + 90 * 24 * HOUR_MS);
		}
	});
});

it('the server’s is for the addresses that are used', () => {
	const { certificate } = leaf('server');
	expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
	expect(certificate.checkHost('localhost')).toBe('localhost');
	expect(certificate.checkHost('kubernetes.default.svc')).toBe('kubernetes.default.svc');
	expect(certificate.checkIP('10.0.0.1')).toBeUndefined();
});

it('the authority is one', () => {
	expect(ca.ca).toBe(true);
	expect(ca.verify(ca.publicKey)).toBe(true);
	expect(file('ca.crt')).toBe(admin.ca);
});

it('no two have the same serial number', () => {
	const serials = [ca, ...['server', 'etcd-client', 'admin'].map((name) => leaf(name).certificate)].map(
		({ serialNumber }) => serialNumber,
	);
	expect(new Set(serials).size).toBe(serials.length);
});

it('service accounts have a key pair that belongs together', () => {
	const fromPrivate = createPublicKey(createPrivateKey(file('service-account.key')));
	expect(fromPrivate.equals(createPublicKey(file('service-account.pub')))).toBe(true);
});

it('only the owner can read the files, and the authority’s key is not among them', () => {
	for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
	const keys = readdirSync(directory).filter((name) => name.endsWith('.key'));
	for (const name of keys) expect(ca.checkPrivateKey(createPrivateKey(file(name)))).toBe(false);
	expect(ca.checkPrivateKey(createPrivateKey(admin.key))).toBe(false);
});

it('another control plane has another authority', async () => {
	const elsewhere = mkdtempSync(join(tmpdir(), 'certificates-'));
	const other = await createCertificates(elsewhere);
	rmSync(elsewhere, { recursive: true });
	expect(new X509Certificate(other.certificate).verify(ca.publicKey)).toBe(false);
});
