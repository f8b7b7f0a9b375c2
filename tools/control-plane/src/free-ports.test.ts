import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePorts } from './free-ports.ts';

it('are different from each other and can be listened on', async () => {
	const ports = await freePorts(50);
	expect(new Set(ports).size).toBe(50);
	for (const port of ports)
		await new Promise<void>((resolve, reject) => {
			const server = createServer().once('error', reject);
			server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
		});
});

it('are none of those that systems give to outgoing connections', async () => {
	for (const port of await freePorts(100)) expect(port).toBeLessThan(32_768);
});
