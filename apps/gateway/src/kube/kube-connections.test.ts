import { expect, it } from 'vitest';
import { keptConnections } from './kube-connections.ts';

const CERTIFICATE = { ca: Buffer.from('ca'), cert: Buffer.from('one'), key: Buffer.from('key') };

it('calls with the same certificates share their connections, also when the files are read again', async () => {
	const connections = keptConnections(1000);
	const first = connections.with({ ...CERTIFICATE }, 'work');
	const again = { ...CERTIFICATE, cert: Buffer.from('one'), headers: { authorization: 'new' } };
	expect(connections.with(again, 'work')).toBe(first);
	await connections.close();
	expect(first.destroyed).toBe(true);
});

it('a replaced certificate gets new connections, and the old ones close after their calls', async () => {
	const connections = keptConnections(1000);
	const first = connections.with(CERTIFICATE, 'work');
	const second = connections.with({ ...CERTIFICATE, cert: Buffer.from('two') }, 'work');
	expect(second).not.toBe(first);
	expect(first.closed).toBe(true);
	expect(connections.with({ ...CERTIFICATE, cert: Buffer.from('two') }, 'work')).toBe(second);
	await connections.close();
});

it('closing before the first call does nothing', async () => {
	await expect(keptConnections(1000).close()).resolves.toBeUndefined();
});

it('each lane has connections of its own', async () => {
	const connections = keptConnections(1000);
	const lanes = (['work', 'renewals', 'reviews', 'readiness', 'watches'] as const).map((lane) =>
		connections.with(CERTIFICATE, lane),
	);
	expect(new Set(lanes).size).toBe(5);
	await connections.close();
	for (const agent of lanes) expect(agent.destroyed).toBe(true);
});
