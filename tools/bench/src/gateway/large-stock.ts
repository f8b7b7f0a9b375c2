// Many large requests in the store, and whether an app lives with them: it becomes ready, and goes on after the API server
// was away and everything is listed anew. A process whose heap is full dies, so that "ready" says that it fits.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane, KubeApi } from '@kubernaut/control-plane';
import { type AppName, type AppProcess, startApp } from '@kubernaut/testkit/app-process';
import { applyObject } from '@kubernaut/testkit/apply';
import { appKubeconfig } from '@kubernaut/testkit/service-account';
import { alertAbout, fingerprintOf, firstRequestName, requestFor, requestsPath } from '../signal-request.ts';
import { freshDeployment, inParallel } from './signal-load.ts';

export type Stock = {
	readonly name: string;
	readonly count: number;
	/** What a request holds beside the usual fields. */
	readonly content: {
		readonly originalPayload: string;
		readonly signalAnnotations?: Readonly<Record<string, string>>;
		readonly signalLabels?: Readonly<Record<string, string>>;
	};
};
export type LargeFigures = {
	readonly app: AppName;
	readonly ready: boolean;
	readonly readyMs: number;
	/** It listed everything again after the API server was restarted, and was ready. */
	readonly survivedRestart: boolean;
	/** The highest resident memory of its life. */
	readonly peakMb: number;
};

const READY_LIMIT_MS = 180_000;
const POLL_MS = 50;
const CONCURRENCY = 16;
/** Long enough for a replica to see that the watch is gone, and short enough for a bench. */
const AWAY_MS = 3000;

const FOUR_BYTES = '\u{1F525}';
const entries = (name: string, value: string) =>
	Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`${name}${i}`, value]));
/** The CRD counts characters, so that these have four bytes each; labels then fill up to the 1.5 MiB that etcd takes. */
export const LARGEST: Stock = {
	name: 'largest',
	count: 500,
	content: {
		originalPayload: FOUR_BYTES.repeat(65_536),
		signalAnnotations: entries('note', FOUR_BYTES.repeat(4096)),
		signalLabels: entries('label', FOUR_BYTES.repeat(900)),
	},
};
export const OF_32_KIB: Stock = { name: '32KiB', count: 10_000, content: { originalPayload: 'x'.repeat(32 * 1024) } };

/** Ended ones: an orchestrator has nothing to do about them but to know them. */
export async function fill(api: KubeApi, namespace: string, { count, content }: Stock): Promise<void> {
	await applyObject(api, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
	await inParallel(count, CONCURRENCY, async () => {
		const alert = alertAbout(freshDeployment('stored'));
		const request = requestFor(alert, firstRequestName(fingerprintOf(alert)));
		const path = requestsPath(namespace);
		await api.call('POST', path, { body: { ...request, spec: { ...request.spec, ...content } } });
		const now = new Date().toISOString();
		const status = { overallPhase: 'Cancelled', outcome: 'Resolved', startTime: now, completedAt: now };
		await api.call('PATCH', `${path}/${request.metadata.name}/status`, {
			body: { status },
			contentType: 'application/merge-patch+json',
		});
	});
}

export async function measureLarge(
	{ kubeconfigPath, apiServer }: Pick<ControlPlane, 'kubeconfigPath' | 'apiServer'>,
	api: KubeApi,
	apps: readonly AppName[],
	namespace: string,
	stock: Stock,
): Promise<LargeFigures[]> {
	if (apiServer === undefined) throw new Error('The API server is restarted here: it must be a process of ours.');
	const started = await Promise.all(
		apps.map(async (app) => {
			const kubeconfig = await appKubeconfig(api, app, namespace, kubeconfigPath);
			const startedAt = performance.now();
			const podName = `${app}-large`;
			const running = await startApp(app, { kubeconfig, namespace, podName, env: { LOG_LEVEL: 'debug' } });
			const ready = await isReadyInTime(running);
			return { app, running, ready, readyMs: performance.now() - startedAt };
		}),
	);
	const living = started.filter(({ ready }) => ready);
	const before = new Map(living.map(({ running }) => [running, lists(running, stock)]));
	await apiServer.stop('SIGKILL');
	await delay(AWAY_MS);
	await apiServer.start();
	const listedAgain = (running: AppProcess) =>
		lists(running, stock) > (before.get(running) ?? Number.POSITIVE_INFINITY);
	const figures = await Promise.all(
		started.map(async ({ app, running, ready, readyMs }) => {
			const survivedRestart = ready && (await livesUntil(running, () => listedAgain(running)));
			return { app, ready, readyMs, survivedRestart, peakMb: peakMb(running) };
		}),
	);
	await Promise.all(started.map(({ running }) => running.stop()));
	return figures;
}

export function describeLarge({ app, ready, readyMs, survivedRestart, peakMb: peak }: LargeFigures): string {
	const first = ready ? `ready after ${(readyMs / 1000).toFixed(1)} s` : `NOT ready (${(readyMs / 1000).toFixed(1)} s)`;
	return `${app}: ${first}, ${survivedRestart ? 'listed again' : 'did NOT list again'} after a restart, peak ${peak.toFixed(0)} MB`;
}

async function isReadyInTime(running: AppProcess): Promise<boolean> {
	return running.waitUntilReady(READY_LIMIT_MS).then(
		() => true,
		() => false,
	);
}

/** This comes true, and the process is ready then. */
async function livesUntil(running: AppProcess, isTrue: () => boolean): Promise<boolean> {
	const life = { over: false };
	void running.exited.then(() => (life.over = true));
	for (
		const endsAt = performance.now() + READY_LIMIT_MS;
		!life.over && performance.now() < endsAt;
		await delay(POLL_MS)
	)
		if (isTrue()) return isReadyInTime(running);
	return false;
}

/** How many times it has read the whole list, by its log. */
function lists(running: AppProcess, { count }: Stock): number {
	return running.output().filter((line) => line.includes(`"listed ${count} objects"`)).length;
}

/** NaN where there is no /proc, or no process any more. */
function peakMb({ pid }: AppProcess): number {
	try {
		return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
	} catch {
		return Number.NaN;
	}
}
