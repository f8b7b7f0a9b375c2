import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePorts } from './free-ports.ts';

it('are different from each other and can be listened on', async () => {
	const ports = await freePorts(50);
	expect(new Set(ports).size).toBe(50);
	// A control plane that starts beside us may take one, but hardly twice.
	expect((await canListenOn(ports)) || (await canListenOn(await freePorts(50)))).toBe(true);
});

async function canListenOn(ports: readonly number[]): Promise<boolean> {
	for (const port of ports) {
		const server = createServer();
		const free = await new Promise<boolean>((resolve) => {
			server.once('error', () => resolve(false));
			server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
		});
		if (!free) return false;
	}
	return true;
}

it('are none of those that systems give to outgoing connections', async () => {
	for (const port of await freePorts(100)) expect(port).toBeLessThan(32_768);
});

it('are given out once, so that programs which start together do not meet on one', async () => {
	const ports: number[] = [];
	while (ports.length < 2_000) ports.push(...(await freePorts(50)));
	expect(new Set(ports).size).toBe(ports.length);
});
