// The time from the creation of a notification to the arrival of its message, by the clock of this process, which is also the
// receiver's.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeApi } from '@kubernaut/control-plane';
import { percentile } from '../gateway/statistics.ts';
import { createNotification, notificationsPath, type Service } from './service.ts';

export type Round = { readonly p50: number; readonly p95: number };

const POLL_MS = 1;
const PATIENCE_MS = 30_000;
/** What follows the message (record, release) is over before the next one comes. */
const GAP_MS = 40;

export async function arrivals(api: KubeApi, { namespace, receivers }: Service, times: number): Promise<Round> {
	const measured: number[] = [];
	for (let i = 0; i < times; i++) {
		const startedAt = performance.now();
		const name = await createNotification(api, namespace, ['webhook']);
		const message = await until(() => receivers.webhook.received.find(({ body }) => body.includes(name)), name);
		measured.push(message.at - startedAt);
		await delay(GAP_MS);
	}
	return { p50: percentile(measured, 0.5), p95: percentile(measured, 0.95) };
}

/** One write to the API server, over a kept connection: the creation of a Lease, as the lock does it. */
export async function writes(api: KubeApi, namespace: string, times: number): Promise<Round> {
	const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
	const measured: number[] = [];
	for (let i = 0; i < times; i++) {
		const startedAt = performance.now();
		const { metadata } = await api.call('POST', path, { body: { metadata: { generateName: 'bench-' } } });
		measured.push(performance.now() - startedAt);
		await api.call('DELETE', `${path}/${metadata.name}`);
		await delay(GAP_MS);
	}
	return { p50: percentile(measured, 0.5), p95: percentile(measured, 0.95) };
}

export async function untilAllFinished(api: KubeApi, namespace: string, patienceMs: number): Promise<string[]> {
	const givenUpAt = performance.now() + patienceMs;
	for (;;) {
		const { items } = await api.call('GET', notificationsPath(namespace));
		const phases = (items as { status?: { phase?: string } }[]).map(({ status }) => status?.phase ?? 'Pending');
		const isOver = phases.every((phase) => ['Sent', 'PartiallySent', 'Failed'].includes(phase));
		if (isOver || performance.now() > givenUpAt) return phases;
		await delay(250);
	}
}

async function until<T>(look: () => T | undefined, what: string): Promise<T> {
	const givenUpAt = performance.now() + PATIENCE_MS;
	for (;;) {
		const found = look();
		if (found !== undefined) return found;
		if (performance.now() > givenUpAt) throw new Error(`the message of ${what} did not arrive`);
		await delay(POLL_MS);
	}
}
