// An API server that is further away: the same one, through toxiproxy, with every answer so much later. A process of its
// own keeps the delay exact while the test is busy.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPart } from '@kubernaut/control-plane';
import { scratchDirectory } from './scratch.ts';

export type DistantApiServer = {
	/** Like the one given, with the longer way. */
	readonly kubeconfig: string;
	stop(): Promise<void>;
};

export async function startDistantApiServer(kubeconfig: string, latencyMs: number): Promise<DistantApiServer> {
	const text = readFileSync(kubeconfig, 'utf8');
	const upstream = /^\s*server: https:\/\/(\S+?)\/?$/m.exec(text)?.[1];
	if (upstream === undefined) throw new Error(`${kubeconfig} names no server`);
	const toxiproxy = await startPart('toxiproxy');
	const post = async (path: string, body: unknown) => {
		const answer = await fetch(toxiproxy.url + path, { method: 'POST', body: JSON.stringify(body) });
		if (!answer.ok) throw new Error(`toxiproxy, ${path}: ${answer.status} ${await answer.text()}`);
		return (await answer.json()) as Record<string, unknown>;
	};
	try {
		const proxy = { name: 'api-server', listen: '127.0.0.1:0', upstream, enabled: true };
		const { listen } = await post('/proxies', proxy);
		const latency = { type: 'latency', stream: 'downstream', attributes: { latency: latencyMs } };
		await post('/proxies/api-server/toxics', latency);
		const file = join(await scratchDirectory(), 'distant.kubeconfig');
		writeFileSync(file, text.replace(upstream, String(listen)), { mode: 0o600 });
		return { kubeconfig: file, stop: () => toxiproxy.stop() };
	} catch (error) {
		await toxiproxy.stop();
		throw error;
	}
}
