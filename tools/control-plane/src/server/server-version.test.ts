import { expect, it } from 'vitest';
import type { KubeApi, KubeResponse } from './kube-api.ts';
import { askServerVersion } from './server-version.ts';

const WHY = '1.35 or later is needed, because only there are resourceVersions comparable';

it.each<{ what: string; answer: KubeResponse; want: { version: string; refused?: unknown } }>([
	{
		what: 'new enough',
		answer: { status: 200, body: { gitVersion: 'v1.36.3', emulationMajor: '1', emulationMinor: '36' } },
		want: { version: '1.36.3' },
	},
	{
		what: 'the oldest, from k3s',
		answer: { status: 200, body: { gitVersion: 'v1.35.0+k3s1' } },
		want: { version: '1.35.0' },
	},
	{
		what: 'too old',
		answer: { status: 200, body: { gitVersion: 'v1.34.9' } },
		want: { version: '1.34.9', refused: expect.stringContaining(`https://server is Kubernetes 1.34.9; ${WHY}`) },
	},
	{
		what: 'new, but made to behave like an old one',
		answer: { status: 200, body: { gitVersion: 'v1.36.3', emulationMajor: '1', emulationMinor: '34' } },
		want: {
			version: '1.36.3',
			refused: expect.stringContaining(`https://server is Kubernetes 1.36.3 in emulation of 1.34; ${WHY}`),
		},
	},
	{
		what: 'new, made to behave like one that is old but new enough',
		answer: { status: 200, body: { gitVersion: 'v1.36.3', emulationMajor: '1', emulationMinor: '35' } },
		want: { version: '1.36.3' },
	},
	{
		what: 'silent',
		answer: { status: 403, body: { message: 'forbidden\n' } },
		want: { version: 'unknown', refused: 'https://server does not report its version (403 forbidden)' },
	},
	{
		what: 'no API server',
		answer: { status: 200, body: { message: '<html>' } },
		want: { version: 'unknown', refused: 'https://server does not report its version (200 <html>)' },
	},
])('a server that is $what', async ({ answer, want }) => {
	const api = { server: 'https://server', send: () => Promise.resolve(answer) } as unknown as KubeApi;
	expect(await askServerVersion(api)).toEqual(want);
});
