// The replicas of one app as processes: what a Deployment does, done here.
import { type AppName, type AppProcess, startApp } from '@kubernaut/testkit';
import type { Replica } from '../platform.ts';
import { TIMEOUTS } from '../timeouts.ts';

type Start = {
	readonly kubeconfig: string;
	readonly namespace: string;
	readonly env: Readonly<Record<string, string>>;
};

export class ProcessReplicas {
	readonly #app: AppName;
	readonly #start: Start;
	readonly #running: AppProcess[] = [];
	readonly #replacing = new Set<Promise<unknown>>();
	#bundle: string | undefined;
	#number = 0;

	constructor(app: AppName, start: Start) {
		this.#app = app;
		this.#start = start;
	}

	/** Of those that are up. */
	urls(): string[] {
		return this.#running.map(({ apiUrl }) => apiUrl);
	}

	replicas(): Replica[] {
		return this.#running.map((running) => this.#replica(running));
	}

	async scale(count: number): Promise<void> {
		await Promise.all(this.#replacing);
		const leaving = this.#running.splice(count);
		await Promise.all([
			...leaving.map((running) => running.stop()),
			...Array.from({ length: count - this.#running.length }, () => this.#add()),
		]);
	}

	/** Each is replaced by one of this version; of this tree's own when none is named. */
	async update(bundle?: string): Promise<void> {
		this.#bundle = bundle;
		await this.replaceEach();
	}

	async replaceEach(): Promise<void> {
		for (const old of this.#running.slice()) {
			await this.#add();
			this.#running.splice(this.#running.indexOf(old), 1);
			await old.stop();
		}
	}

	async stop(): Promise<void> {
		await Promise.allSettled(this.#replacing);
		for (const running of this.#running) running.signal('SIGCONT');
		await Promise.all(this.#running.splice(0).map((running) => running.stop()));
	}

	/** In service only when it is ready. */
	async #add(): Promise<void> {
		const podName = `${this.#app}-${this.#number++}`;
		const running = await startApp(this.#app, { ...this.#start, podName, bundle: this.#bundle });
		await running.waitUntilReady(TIMEOUTS.allReplicasReadyMs);
		this.#running.push(running);
	}

	#replica(running: AppProcess): Replica {
		const metrics = new URL(running.metricsUrl);
		return {
			app: this.#app,
			name: running.podName,
			async isReady() {
				const answer = await fetch(`${running.healthUrl}/readyz`).catch(() => undefined);
				return answer?.status === 200;
			},
			async readiness() {
				const answer = await fetch(`${running.healthUrl}/readyz`);
				return { status: answer.status, text: await answer.text() };
			},
			kill: async () => {
				const place = this.#running.indexOf(running);
				if (place !== -1) this.#running.splice(place, 1);
				running.signal('SIGKILL');
				await running.exited;
				const replacing = this.#add();
				this.#replacing.add(replacing);
				await replacing.finally(() => this.#replacing.delete(replacing));
			},
			freeze: () => running.pause(),
			thaw: async () => running.signal('SIGCONT'),
			metrics: async () => (await fetch(running.metricsUrl)).text(),
			log: async () => running.output(),
			scrape: { scheme: 'http', address: metrics.host, path: metrics.pathname },
		};
	}
}
