// A port of this machine for all ready pods of an app in a cluster that has no other way in: each new connection goes to the next
// pod, as through a Service. `kubectl port-forward service/…` reaches one pod only, and ends with it.
import { type ChildProcess, spawn } from 'node:child_process';
import { createConnection, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeApi, type KubeObject } from '@kubernaut/control-plane';

export type Forwarding = { readonly url: string; close(): Promise<void> };
export type ForwardedApp = { readonly namespace: string; readonly app: string; readonly port: number };
/** `port`: of this machine; undefined until kubectl listens. */
type Forward = { readonly child: ChildProcess; port: number | undefined };

const LOOK_MS = 500;
const LISTENING = /^Forwarding from 127\.0\.0\.1:(\d+)/;

export async function forwardToPods(
	kubectl: string,
	kubeconfigPath: string,
	{ namespace, app, port }: ForwardedApp,
	signal: AbortSignal,
): Promise<Forwarding> {
	const api = KubeApi.fromFile(kubeconfigPath);
	const forwards = new Map<string, Forward>();
	const sockets = new Set<Socket>();
	const ended = new AbortController();
	let last = 0;

	function open(pod: string): void {
		const args = ['--kubeconfig', kubeconfigPath, '-n', namespace, 'port-forward', `pod/${pod}`, `:${port}`];
		const child = spawn(kubectl, args, { stdio: ['ignore', 'pipe', 'ignore'] });
		const forward: Forward = { child, port: undefined };
		forwards.set(pod, forward);
		createInterface({ input: child.stdout }).on('line', (line) => {
			forward.port ??= Number(LISTENING.exec(line)?.[1]) || undefined;
		});
		// The pod is gone, or its node did not answer: the next look opens another when it is still there.
		for (const event of ['exit', 'error'])
			child.on(event, () => {
				if (forwards.get(pod) === forward) forwards.delete(pod);
			});
	}
	async function look(): Promise<void> {
		const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=app.kubernetes.io/name%3D${app}`;
		const { status, body } = await api.send('GET', path);
		if (status !== 200) return;
		const ready = new Set((body['items'] as KubeObject[]).filter(isReady).map(({ metadata }) => String(metadata.name)));
		for (const pod of ready) if (!forwards.has(pod)) open(pod);
		for (const [pod, { child }] of forwards) if (!ready.has(pod)) child.kill();
	}
	async function keepLooking(): Promise<void> {
		while (!ended.signal.aborted) {
			await look().catch(() => {}); // an API server that is away: what is open stays
			await delay(LOOK_MS);
		}
	}
	function nextPort(): number | undefined {
		const ports = [...forwards.values()].flatMap((forward) => forward.port ?? []);
		return ports[last++ % ports.length];
	}

	const server = createServer((client) => {
		const to = nextPort();
		if (to === undefined) return void client.destroy();
		const pod = createConnection(to, '127.0.0.1');
		for (const [from, other] of [
			[client, pod],
			[pod, client],
		] as const) {
			sockets.add(from);
			from.on('error', () => other.destroy());
			from.on('close', () => {
				sockets.delete(from);
				other.destroy();
			});
			from.pipe(other);
		}
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const looking = keepLooking();
	const close = async () => {
		ended.abort();
		server.close();
		for (const socket of sockets) socket.destroy();
		await looking;
		for (const { child } of forwards.values()) child.kill();
		await api.close();
	};
	try {
		while (nextPort() === undefined) await delay(LOOK_MS, undefined, { signal });
	} catch (error) {
		await close();
		throw error;
	}
	return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, close };
}

function isReady({ metadata, status }: KubeObject): boolean {
	const conditions = (status?.conditions ?? []) as { type: string; status: string }[];
	const isUp = conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
	return isUp && metadata.deletionTimestamp === undefined;
}
