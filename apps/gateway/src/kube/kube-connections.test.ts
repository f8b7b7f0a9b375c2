import { expect, it } from 'vitest';
import { keptConnections } from './kube-connections.ts';

const CERTIFICATE = { ca: Buffer.from('ca'), cert: Buffer.from('one'), key: Buffer.from('key') };

it('calls with the same certificates share their connections, also when the files are read again', async () => {
	const connections = keptConnections(1000);
	const first = connections.with({ ...CERTIFICATE });
	expect(connections.with({ ...CERTIFICATE, cert: Buffer.from('one'), headers: { authorization: 'new' } })).toBe(first);
	await connections.close();
	expect(first.destroyed).toBe(true);
});

it('a replaced certificate gets new connections, and the old ones close after their calls', async () => {
	const connections = keptConnections(1000);
	const first = connections.with(CERTIFICATE);
	const second = connections.with({ ...CERTIFICATE, cert: Buffer.from('two') });
	expect(second).not.toBe(first);
	expect(first.closed).toBe(true);
	expect(connections.with({ ...CERTIFICATE, cert: Buffer.from('two') })).toBe(second);
	await connections.close();
});

it('closing before the first call does nothing', async () => {
	await expect(keptConnections(1000).close()).resolves.toBeUndefined();
});
