// What a replica's presence promises, over Leases in memory or on a real API server. Time is the test's.
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import {
	announcePresence,
	PRESENCE_DURATION_MS,
	presenceName,
	REPLICA_LABEL,
} from '../../src/controller/replica-presence.ts';
import { answered } from '../../src/kube/answered.ts';
import { type KubeCall, type KubeClient, KubeError } from '../../src/kube/kube.ts';
import { type LeaseObject, leasesPath } from '../../src/kube/leases.ts';

export type LeaseSite = { readonly kube: Pick<KubeClient, 'call' | 'lines'>; readonly namespace: string };

const US = 'orchestrator-0';
const OTHER = 'orchestrator-1';
const RENEW_MS = PRESENCE_DURATION_MS / 3;
const RETRY_MS = 30_000;
const SWEEP_MS = 60_000;
const STALE_MS = 3 * PRESENCE_DURATION_MS;
const POLL = { interval: 10, timeout: 20_000 };

/** One replica's presence, with a connection that the test can cut, and the Leases beside it. */
class Scene {
	readonly clock = new ManualClock();
	readonly calls: string[] = [];
	readonly reported: string[] = [];
	readonly #site: LeaseSite;
	#away = false;
	#muted = false;
	#cut: (() => void) | undefined;
	inSync = false;
	beforeCall: (call: KubeCall) => Promise<void> = async () => {};
	/** Writes are done, and their answers do not arrive. */
	answersAreLost = false;

	constructor(site: LeaseSite) {
		this.#site = site;
	}

	announce() {
		return announcePresence({
			kube: { call: (call) => this.#call(call), lines: (...watch) => this.#lines(...watch) },
			namespace: this.#site.namespace,
			podName: US,
			clock: this.clock,
			backoff: { calculate: () => 1000 },
			replicas: {
				present: (pod) => this.reported.push(`${pod} present`),
				gone: (pod) => this.reported.push(`${pod} gone`),
			},
			onSync: (inSync) => (this.inSync = inSync),
		});
	}

	/** The API server cannot be reached, and the watch breaks. */
	disconnect(): void {
		this.#away = true;
		this.#cut?.();
	}

	reconnect(): void {
		this.#away = false;
	}

	/** The watch delivers nothing more, and does not break. */
	mute(): void {
		this.#muted = true;
	}

	async pass(ms: number): Promise<void> {
		this.clock.advance(ms);
		for (let turns = 0; turns < 10; turns++) await turn();
	}

	lease(pod: string): Promise<LeaseObject | undefined> {
		return answered(this.#send<LeaseObject>('get', pod), { KUBE_NOT_FOUND: undefined });
	}

	put(pod: string): Promise<LeaseObject> {
		const metadata = { name: presenceName(pod), labels: { [REPLICA_LABEL]: 'orchestrator' } };
		return this.#send('create', pod, { metadata, spec: { holderIdentity: pod } });
	}

	/** As the replica's own renewal, or an edit by hand. */
	async renew(pod: string): Promise<void> {
		const lease = (await this.lease(pod)) as LeaseObject;
		const renewTime = new Date().toISOString().replace('Z', '000Z');
		await this.#send('update', pod, { ...lease, spec: { ...lease.spec, renewTime } });
	}

	async delete(pod: string): Promise<void> {
		await this.#send('delete', pod);
	}

	#send<T>(verb: 'get' | 'create' | 'update' | 'delete', pod: string, body?: object): Promise<T> {
		const { kube, namespace } = this.#site;
		const path = verb === 'create' ? leasesPath(namespace) : `${leasesPath(namespace)}/${presenceName(pod)}`;
		return kube.call({ verb, path, resource: 'leases', namespace, body });
	}

	async #call<T>(call: KubeCall): Promise<T> {
		if (call.verb !== 'list') this.calls.push(call.verb);
		await this.beforeCall(call);
		if (this.#away) throw new KubeError('KUBE_UNAVAILABLE', 'away');
		const answer = await this.#site.kube.call<T>(call);
		if (this.answersAreLost && call.verb !== 'get' && call.verb !== 'list')
			throw new KubeError('KUBE_TIMEOUT', 'no answer');
		return answer;
	}

	async *#lines(...[call, signal, idleMs, onAccepted]: Parameters<KubeClient['lines']>): AsyncGenerator<string> {
		const cut = Promise.withResolvers<never>();
		cut.promise.catch(() => {});
		this.#cut = () => cut.reject(new KubeError('KUBE_UNAVAILABLE', 'cut'));
		const lines = this.#site.kube.lines(call, signal, idleMs, onAccepted);
		for (;;) {
			const next = await Promise.race([lines.next(), cut.promise]);
			if (next.done) return;
			if (!this.#muted) yield next.value;
		}
	}
}

export function describePresence(openSite: () => Promise<LeaseSite>): void {
	const opened = async () => new Scene(await openSite());
	/** Announced, and with a watch that is up. */
	async function present(scene: Scene) {
		const presence = scene.announce();
		await expect.poll(() => scene.lease(US), POLL).toBeDefined();
		await expect.poll(() => scene.inSync, POLL).toBe(true);
		await expect.poll(() => scene.reported, POLL).toContain(`${US} present`);
		return presence;
	}
	const versionOf = async (scene: Scene, pod: string) => (await scene.lease(pod))?.metadata.resourceVersion;

	describe('the Lease of a replica', () => {
		it('is created at the start with the pod as its holder, and costs one call', async () => {
			const scene = await opened();
			const presence = await present(scene);
			expect(await scene.lease(US)).toMatchObject({
				metadata: { labels: { [REPLICA_LABEL]: 'orchestrator' } },
				spec: { holderIdentity: US, leaseDurationSeconds: PRESENCE_DURATION_MS / 1000 },
			});
			expect(scene.calls).toEqual(['create']);
			await presence.stop();
		});

		it('is renewed after a third of its duration, with one call', async () => {
			const scene = await opened();
			const presence = await present(scene);
			const before = await versionOf(scene, US);
			await scene.pass(RENEW_MS - 1);
			expect(scene.calls).toEqual(['create']);
			await scene.pass(1);
			await expect.poll(() => versionOf(scene, US), POLL).not.toBe(before);
			expect(scene.calls).toEqual(['create', 'update']);
			await presence.stop();
		});

		it('is created again at the next renewal when it was deleted', async () => {
			const scene = await opened();
			const presence = await present(scene);
			await scene.delete(US);
			await scene.pass(RENEW_MS);
			await expect.poll(() => scene.lease(US), POLL).toBeDefined();
			await presence.stop();
		});

		it('is written again at the next renewal when it was edited', async () => {
			const scene = await opened();
			const presence = await present(scene);
			await scene.renew(US);
			const edited = await versionOf(scene, US);
			await scene.pass(RENEW_MS);
			await expect.poll(() => versionOf(scene, US), POLL).not.toBe(edited);
			await presence.stop();
			expect(await scene.lease(US)).toBeUndefined();
		});

		it('is taken over from a process of the same pod name that left it behind', async () => {
			const scene = await opened();
			const left = await scene.put(US);
			const presence = scene.announce();
			await expect.poll(() => versionOf(scene, US), POLL).not.toBe(left.metadata.resourceVersion);
			expect((await scene.lease(US))?.metadata.uid).toBe(left.metadata.uid);
			await presence.stop();
			expect(await scene.lease(US)).toBeUndefined();
		});

		it('is retried while the API server is away', async () => {
			const scene = await opened();
			scene.disconnect();
			const presence = scene.announce();
			for (const ms of [0, RETRY_MS, RETRY_MS, RETRY_MS]) await scene.pass(ms);
			expect(scene.calls).toEqual(['create', 'create', 'create', 'create']);
			scene.reconnect();
			await scene.pass(RETRY_MS);
			await expect.poll(() => scene.lease(US), POLL).toBeDefined();
			await presence.stop();
		});

		it('is retried when it changed while it was taken over', async () => {
			const scene = await opened();
			await scene.put(US);
			scene.beforeCall = async ({ verb }) => {
				if (verb === 'update' && scene.calls.length <= 3) await scene.renew(US);
			};
			const presence = scene.announce();
			await expect.poll(() => scene.clock.pending, POLL).toBeGreaterThan(1);
			expect(scene.calls).toEqual(['create', 'get', 'update']);
			await scene.pass(RETRY_MS);
			await expect.poll(() => scene.calls, POLL).toHaveLength(6);
			await presence.stop();
			expect(await scene.lease(US)).toBeUndefined();
		});

		it('is removed at the end, and not renewed any more', async () => {
			const scene = await opened();
			const presence = await present(scene);
			await presence.stop();
			expect(await scene.lease(US)).toBeUndefined();
			expect(scene.clock.pending).toBe(0);
		});

		it('is removed at the end when its write was still under way', async () => {
			const scene = await opened();
			const gate = Promise.withResolvers<void>();
			scene.beforeCall = ({ verb }) => (verb === 'create' ? gate.promise : Promise.resolve());
			const presence = scene.announce();
			const stopping = presence.stop();
			gate.resolve();
			await stopping;
			expect(scene.calls).toEqual(['create', 'delete']);
			expect(await scene.lease(US)).toBeUndefined();
		});

		it('is removed at the end when the answer to its create was lost', async () => {
			const scene = await opened();
			scene.answersAreLost = true;
			const presence = await present(scene);
			await presence.stop();
			expect(await scene.lease(US)).toBeUndefined();
		});

		it('is removed at the end when the answer to its renewal was lost', async () => {
			const scene = await opened();
			const presence = await present(scene);
			const created = await versionOf(scene, US);
			scene.answersAreLost = true;
			await scene.pass(RENEW_MS);
			await expect.poll(() => versionOf(scene, US), POLL).not.toBe(created);
			await presence.stop();
			expect(await scene.lease(US)).toBeUndefined();
		});

		it('is left in place at the end when another process of the same pod name wrote it', async () => {
			const scene = await opened();
			const presence = await present(scene);
			await scene.renew(US);
			await presence.stop();
			expect(await scene.lease(US)).toBeDefined();
		});
	});

	describe('the Leases of other replicas', () => {
		it('are reported as present with every change, and as gone when they are deleted', async () => {
			const scene = await opened();
			await scene.put(OTHER);
			const presence = await present(scene);
			const ofOther = () => scene.reported.filter((report) => report.startsWith(OTHER));
			await expect.poll(ofOther, POLL).toEqual([`${OTHER} present`]);
			await scene.renew(OTHER);
			await expect.poll(ofOther, POLL).toEqual([`${OTHER} present`, `${OTHER} present`]);
			await scene.delete(OTHER);
			await expect.poll(ofOther, POLL).toEqual([`${OTHER} present`, `${OTHER} present`, `${OTHER} gone`]);
			await presence.stop();
		});

		it('are removed after three durations without a change, and not before', async () => {
			const scene = await opened();
			await scene.put(OTHER);
			const presence = await present(scene);
			await expect.poll(() => scene.reported, POLL).toContain(`${OTHER} present`);
			await scene.pass(STALE_MS);
			expect(scene.calls).not.toContain('delete');
			await scene.pass(SWEEP_MS);
			await expect.poll(() => scene.reported, POLL).toContain(`${OTHER} gone`);
			expect(await scene.lease(OTHER)).toBeUndefined();
			expect(await scene.lease(US)).toBeDefined();
			await presence.stop();
		});

		it('stay while they are renewed', async () => {
			const scene = await opened();
			await scene.put(OTHER);
			const presence = await present(scene);
			for (let renewals = 1; renewals < 4; renewals++) {
				await expect
					.poll(() => scene.reported.filter((report) => report === `${OTHER} present`), POLL)
					.toHaveLength(renewals);
				await scene.pass(STALE_MS - SWEEP_MS);
				await scene.renew(OTHER);
			}
			expect(scene.calls).not.toContain('delete');
			expect(await scene.lease(OTHER)).toBeDefined();
			await presence.stop();
		});

		it('stay when they were renewed and the watch did not deliver it', async () => {
			const scene = await opened();
			await scene.put(OTHER);
			const presence = await present(scene);
			await expect.poll(() => scene.reported, POLL).toContain(`${OTHER} present`);
			scene.mute();
			await scene.renew(OTHER);
			await scene.pass(STALE_MS + SWEEP_MS);
			await expect.poll(() => scene.calls, POLL).toContain('delete');
			await presence.stop();
			expect(await scene.lease(OTHER)).toBeDefined();
		});

		it('stay after an outage in which they could not be renewed, until they are silent for as long again', async () => {
			const scene = await opened();
			await scene.put(OTHER);
			const presence = await present(scene);
			await expect.poll(() => scene.reported, POLL).toContain(`${OTHER} present`);
			scene.disconnect();
			await expect.poll(() => scene.inSync, POLL).toBe(false);
			await scene.pass(STALE_MS + 2 * SWEEP_MS);
			scene.reconnect();
			await expect.poll(async () => (await scene.pass(1000), scene.inSync), POLL).toBe(true);
			await scene.pass(STALE_MS - SWEEP_MS);
			expect(scene.calls).not.toContain('delete');
			await scene.pass(2 * SWEEP_MS);
			await expect.poll(() => scene.lease(OTHER), POLL).toBeUndefined();
			await presence.stop();
		});
	});
}
