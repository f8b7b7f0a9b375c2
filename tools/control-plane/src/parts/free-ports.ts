import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the ports that systems give to outgoing connections: there, one may be gone before our program has started.
const LOWEST = 10_240;
const HIGHEST = 32_767;
const TRIES = 1_000;

// Ports that this process was given before: free again for a moment, until the program that it was meant for listens there.
const given = new Set<number>();

/**
 * Free ports of the loopback interface, never the same one twice in a process. Another process may still take one before
 * it is used.
 */
export async function freePorts(count: number): Promise<number[]> {
	const servers = await Promise.all(Array.from({ length: count }, listenSomewhere));
	await Promise.all(servers.map(({ server }) => new Promise((resolve) => server.close(resolve))));
	return servers.map(({ port }) => port);
}

async function listenSomewhere(): Promise<{ server: ReturnType<typeof createServer>; port: number }> {
	for (let attempt = 1; ; attempt++) {
		const port = randomInt(LOWEST, HIGHEST + 1);
		if (given.has(port)) continue;
		const server = createServer();
		try {
			await new Promise<void>((resolve, reject) => {
				server.once('error', reject);
				server.listen(port, '127.0.0.1', resolve);
			});
			given.add(port);
			return { server, port };
		} catch (error) {
			if (attempt >= TRIES) throw error;
		}
	}
}
