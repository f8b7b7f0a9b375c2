import { expect, it } from 'vitest';
import { isOlder, versionIn } from './version.ts';

it.each([
	['Kubernetes v1.36.3', '1.36.3'],
	['etcd Version: 3.6.16', '3.6.16'],
	['go version go1.26.8 linux/amd64', '1.26.8'],
	['go version go1.27rc1 darwin/arm64', '1.27'],
	['prometheus, version 2.42.0+ds (branch: debian/sid)', '2.42.0'],
	['v1.35.0-k3s1', '1.35.0'],
	['toxiproxy-server version git', undefined],
	['', undefined],
])('reads %j as %s', (text, want) => {
	expect(versionIn(text)).toBe(want);
});

it.each([
	{ version: '1.34.9', oldest: '1.35', want: true },
	{ version: '1.35', oldest: '1.35', want: false },
	{ version: '1.35.0', oldest: '1.35', want: false },
	{ version: '1.35', oldest: '1.35.2', want: true },
	{ version: '1.9.9', oldest: '1.35', want: true },
	{ version: '2.0', oldest: '1.35', want: false },
	{ version: '1.100.0', oldest: '1.35', want: false },
	{ version: '0.99.99', oldest: '1.0', want: true },
])('$version is older than $oldest: $want', ({ version, oldest, want }) => {
	expect(isOlder(version, oldest)).toBe(want);
});
