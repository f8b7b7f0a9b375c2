// Where one check of part one takes place: pods of the app, ways to break their connection, the lock objects as the API
// server has them, and an empty namespace afterwards.
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:net';
import { type Relay, startRelay } from '@kubernaut/testkit';
import type { KubeConfig } from '@kubernetes/client-node';
import { kubeConfigBehind, kubeConfigFrom, kubeConfigOf, listen } from './kube-config.ts';
import type { AdminAccess, AnyLock, HolderRecord } from './lock-port.ts';
import { type LockSite, REQUEST_TIMEOUT_MS } from './lock-site.ts';
import { RecordedObserver } from './recorded-observer.ts';

export type LockPod<L extends AnyLock = AnyLock> = {
	readonly name: string;
	readonly lock: L;
	readonly observer: RecordedObserver;
};

export class LockStage {
	readonly site: LockSite;
	readonly #cleanups: (() => unknown)[] = [];

	constructor(site: LockSite) {
		this.site = site;
	}

	/** Another pod of the app, with the app's own rights. */
	pod(): LockPod {
		return this.#start(kubeConfigFrom(this.site.kubeconfig), REQUEST_TIMEOUT_MS);
	}

	async podWithoutRights(): Promise<LockPod> {
		return this.#start(kubeConfigFrom(await this.site.stranger()), REQUEST_TIMEOUT_MS);
	}

	/** A pod whose connection can be cut. */
	async podBehindRelay(): Promise<{ pod: LockPod; relay: Relay }> {
		const relay = await startRelay(new URL(this.site.admin.server));
		this.onClose(() => relay.close());
		const kubeConfig = kubeConfigBehind(this.site.kubeconfig, `https://127.0.0.1:${relay.port}`);
		return { pod: this.#start(kubeConfig, REQUEST_TIMEOUT_MS), relay };
	}

	/** A pod that takes `server` for the API server. */
	async podOf(server: Server, { scheme = 'https', requestTimeoutMs = REQUEST_TIMEOUT_MS } = {}): Promise<LockPod> {
		const host = await listen(server);
		this.onClose(() => server.close());
		return this.#start(kubeConfigOf(`${scheme}://${host}`), requestTimeoutMs);
	}

	key(word = 'key'): string {
		return `${word}/${randomBytes(6).toString('hex')}`;
	}

	plant(key: string, holder: string): Promise<void> {
		return this.site.port.plant(this.#access, key, holder);
	}

	read(key: string): Promise<HolderRecord | undefined> {
		return this.site.port.read(this.#access, key);
	}

	remove(key: string): Promise<void> {
		return this.site.port.remove(this.#access, key);
	}

	/** For what must be undone when the check is over. */
	onClose(cleanup: () => unknown): void {
		this.#cleanups.push(cleanup);
	}

	async close(): Promise<void> {
		for (const cleanup of this.#cleanups.toReversed()) await cleanup();
		await this.site.port.clear(this.#access);
	}

	get #access(): AdminAccess {
		return { admin: this.site.admin, namespace: this.site.namespace };
	}

	#start(kubeConfig: KubeConfig, requestTimeoutMs: number): LockPod {
		const name = `${this.site.app}-${randomBytes(3).toString('hex')}`;
		const observer = new RecordedObserver();
		const { namespace, port } = this.site;
		const { lock, close } = port.start({ name, namespace, kubeConfig, requestTimeoutMs, observer });
		this.onClose(async () => {
			// A broken lock may not end; its connection does.
			await Promise.race([lock.shutdown(0).catch(() => {}), new Promise((resolve) => setTimeout(resolve, 1000))]);
			await close();
		});
		return { name, lock, observer };
	}
}
