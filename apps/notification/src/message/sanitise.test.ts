import { describe, expect, it } from 'vitest';
import { REDACTED, sanitise, sanitiseNamed } from './sanitise.ts';

// Put together at run time: nothing in the sources looks like a real secret.
const SECRET = ['n0t', 'A', 'real', 'S3cret'].join('-');
const word = (length: number, alphabet = 'aB3dE6gH9jK2mN5p') =>
	Array.from({ length }, (_, index) => alphabet[(index * 7) % alphabet.length]).join('');
const pem = (kind: string) => `-----BEGIN ${kind}-----\n${word(64)}\n${word(64)}\n-----END ${kind}-----`;

/** [text, the part that must be gone] */
const SAMPLES: readonly (readonly [string, string])[] = [
	[`password=${SECRET}`, SECRET],
	[`password: ${SECRET}`, SECRET],
	[`DB_PASSWORD=${SECRET} exited 1`, SECRET],
	[`{"password":"${SECRET}","user":"app"}`, SECRET],
	[`{"password" : "with \\"quotes\\" ${SECRET}"}`, SECRET],
	[`'client_secret': '${SECRET}'`, SECRET],
	[`clientSecret=${SECRET}`, SECRET],
	[`api_key=${SECRET}`, SECRET],
	[`x-api-key: ${SECRET}`, SECRET],
	[`apiKey: ${SECRET}`, SECRET],
	[`AWS_SECRET_ACCESS_KEY=${word(40)}`, word(40)],
	[`AccountKey=${word(44)}==;EndpointSuffix=core`, word(44)],
	[`token=${SECRET}&page=2`, SECRET],
	[`auth_token: "${SECRET}"`, SECRET],
	[`pwd=${SECRET};Database=x`, SECRET],
	[`mysqldump --password ${SECRET} --host db`, SECRET],
	[`login --token=${SECRET}`, SECRET],
	[`Authorization: Bearer ${SECRET}`, SECRET],
	[`authorization: Basic ${word(24)}==`, word(24)],
	[`curl -H 'Authorization: token ${SECRET}' x`, SECRET],
	[`"authorization":"Bearer ${SECRET}"`, SECRET],
	[`sent bearer ${word(30)} to the API`, word(30)],
	[`Cookie: session=${SECRET}; theme=dark`, SECRET],
	[`Set-Cookie: id=${SECRET}`, SECRET],
	[`postgres://app:${SECRET}@db:5432/app`, SECRET],
	[`https://:${SECRET}@example.com/`, SECRET],
	[`redis://default:${SECRET}@cache`, SECRET],
	[`https://hooks.slack.com/services/T0AAAAAAA/B0BBBBBBB/${word(24)}`, word(24)],
	[`https://bucket.example/x?X-Amz-Signature=${word(64)}&y=1`, word(64)],
	[`https://acc.example/c?sv=1&sig=${word(43)}`, word(43)],
	[`eyJ${word(20)}.eyJ${word(40)}.${word(43)}`, word(40)],
	[`key AKIA${word(16, 'ABCDEFGH23456')} leaked`, word(16, 'ABCDEFGH23456')],
	[`ghp_${word(36)}`, word(36)],
	[`github_pat_${word(40)}`, word(40)],
	[`glpat-${word(20)}`, word(20)],
	[`xoxb-${word(12, '1234567')}-${word(24)}`, word(24)],
	[`sk_live_${word(24)}`, word(24)],
	[`sk-proj-${word(40)}`, word(40)],
	[`AIza${word(35)}`, word(35)],
	[`npm_${word(36)}`, word(36)],
	[`hvs.${word(24)}`, word(24)],
	[`SG.${word(22)}.${word(43)}`, word(43)],
	[`whsec_${word(32)}`, word(32)],
	[`before\n${pem('RSA PRIVATE KEY')}\nafter`, word(64)],
	[pem('PRIVATE KEY'), word(64)],
	[pem('OPENSSH PRIVATE KEY'), word(64)],
	[
		`-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A\n\n${word(64)}\n-----END RSA PRIVATE KEY-----`,
		word(64),
	],
	[
		`-----BEGIN PGP PRIVATE KEY BLOCK-----\nComment: on-call key\n\n${word(64)}\n-----END PGP PRIVATE KEY BLOCK-----`,
		word(64),
	],
	[`postgres://app:${SECRET}@db/app?password=${word(12)}`, word(12)],
	[`redis://:${SECRET}@cache:6379/0`, SECRET],
	[`curl -u admin:${SECRET} https://db`, SECRET],
	[`curl -H "X-Vault-Token: ${SECRET}" https://vault`, SECRET],
	[`Proxy-Authorization: Basic ${word(24)}`, word(24)],
	[`{"auths":{"r.example.com":{"auth":"${word(24)}"}}}`, word(24)],
	[`private_key: "${word(40)}"`, word(40)],
	[pem('CERTIFICATE'), word(64)],
	[`-----BEGIN PRIVATE KEY-----\n${word(64)}\n… cut`, word(64)],
	[`password="${SECRET} and no closing quote`, SECRET],
	[`authtoken=${SECRET}`, SECRET],
	[`failed: password=${SECRET}`, SECRET],
	[`error: login: token: ${SECRET}`, SECRET],
	[`env=prod,config={api_key:${SECRET}}`, SECRET],
];

const INNOCENT = [
	'docker run -u 1000:1000 app',
	'runs with --user 65532:65532',
	'Remediation failed: HighMemory on shop/Deployment/cart',
	'Signal: PodCrashLooping (severity critical, from prometheus)',
	'the password expired yesterday',
	'password: expired',
	'token: invalid',
	'Token: the API server did not take it',
	'secret "db-credentials" not found',
	'secretName: db-credentials',
	'MountVolume.SetUp failed for volume "certs": secret "tls" not found',
	'token bucket is full',
	'tokens: 512',
	'serviceaccounts "token-cleaner" is forbidden',
	'bearer of bad news',
	'authorization: denied',
	'author: jane',
	'pass: 3, fail: 0',
	'compass: north, bypass: on',
	'https://grafana.example.com/d/abc?orgId=1&from=now-1h',
	'https://user@example.com/repo.git',
	'mailto:oncall@example.com',
	'image registry.example.com/app@sha256:0c5f2d0e4b9a1c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d',
	'we-3f2a9c1b4d5e-0123456789abcdef',
	'uid 7b1f3a0e-6a39-4c1c-9a42-1f2e3d4c5b6a',
	'key: value',
	'keys: 3 of 5',
	'2026-11-18T10:00:00Z level=error msg="connection refused" host=10.0.0.1:5432',
	'More: kubectl describe remediationrequest rr-0c5f2d0e4b9a-1c8d7e6f5a4b3c2d',
	'ratio=0.93 threshold=0.9',
	'sk-1 is a shard name',
	'--namespace shop --timeout 30s',
	'Grüße, 世界 & <b>bold</b> 🙂',
];

describe('sanitise', () => {
	it.each(SAMPLES)('removes the secret from %j', (text, secret) => {
		const clean = sanitise(text);
		expect(clean).not.toContain(secret);
		expect(clean).toContain('[REDACTED');
	});

	it.each(INNOCENT)('leaves %j as it is', (text) => {
		expect(sanitise(text)).toBe(text);
	});

	it('keeps what stands around a secret', () => {
		expect(sanitise(`dial postgres://app:${SECRET}@db:5432/app failed`)).toBe(
			`dial postgres://app:${REDACTED}@db:5432/app failed`,
		);
		expect(sanitise(`{"user":"app","password":"${SECRET}","port":5432}`)).toBe(
			`{"user":"app","password":"${REDACTED}","port":5432}`,
		);
		expect(sanitise(`before\n${pem('RSA PRIVATE KEY')}\nafter`)).toBe('before\n[REDACTED RSA PRIVATE KEY]\nafter');
	});

	it('finds every secret of a text, not only the first', () => {
		const clean = sanitise(`password=${SECRET}1 token=${SECRET}2 https://a:${SECRET}3@b ghp_${word(36)}`);
		expect(clean).not.toContain(SECRET);
		expect(clean).not.toContain(word(36));
	});

	it('removes a secret as long as a body may be', () => {
		expect(sanitise(`"token":"${word(32_000)}"`)).toBe(`"token":"${REDACTED}"`);
	});

	it('changes nothing when it runs twice', () => {
		for (const [text] of SAMPLES) expect(sanitise(sanitise(text))).toBe(sanitise(text));
	});

	it.each([
		['many openings of a block', '-----BEGIN PRIVATE KEY-----'.repeat(1200)],
		['many colons', ':'.repeat(32_768)],
		['one long word', 'a'.repeat(32_768)],
		['many schemes', 'a://'.repeat(8192)],
		['many names', 'password'.repeat(4096)],
		['an open quote', `password="${'\\'.repeat(32_768)}`],
		['bearers', 'bearer '.repeat(4681)],
		['half a token', `eyJ${'a.'.repeat(16_000)}`],
	])('is done with %s, the longest text there can be, within a second', (_what, text) => {
		// Of the processor: others may be at work on this machine.
		const before = process.cpuUsage();
		sanitise(text);
		expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
	});
});

describe('sanitiseNamed', () => {
	it('removes the value of a label whose name is one of a secret', () => {
		expect(sanitiseNamed({ db_password: 'x1', team: 'shop', token: '', url: `https://a:${SECRET}@b/` })).toEqual({
			db_password: REDACTED,
			team: 'shop',
			token: '',
			url: `https://a:${REDACTED}@b/`,
		});
	});
});
