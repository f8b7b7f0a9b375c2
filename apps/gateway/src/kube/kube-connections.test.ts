import { expect, it } from 'vitest';
import { keptConnections } from './kube-connections.ts';

const CERTIFICATE = { ca: Buffer.from('ca'), cert: Buffer.from('one'), key: Buffer.from('key') };

it('calls with the same certificates share their connections, however often the files are read', async () => {
	const connections = keptConnections(1000);
	const first = connections.with({ ...CERTIFICATE });
	expect(connections.with({ ...CERTIFICATE, cert: Buffer.from('one'), headers: { authorization: 'new' } })).toBe(first);
	await connections.close();
	expect(first.destroyed).toBe(true);
});

it('a certificate that was replaced gets new connections, and the old ones go when their calls have ended', async () => {
	const connections = keptConnections(1000);
	const first = connections.with(CERTIFICATE);
	const second = connections.with({ ...CERTIFICATE, cert: Buffer.from('two') });
	expect(second).not.toBe(first);
	expect(first.closed).toBe(true);
	expect(connections.with({ ...CERTIFICATE, cert: Buffer.from('two') })).toBe(second);
	await connections.close();
});

it('none opened, none to close', async () => {
	await expect(keptConnections(1000).close()).resolves.toBeUndefined();
});
