// The notification service: what locking adds to a delivery, what a delivery costs, a storm, and many finished notifications.
import { KubeApi, startControlPlane } from '@kubernaut/control-plane';
import { appBundle } from '@kubernaut/testkit/app-process';
import { applyCrds } from '@kubernaut/testkit/apply';
import { NO_AUDIT_LOG } from './gateway/arena.ts';
import { inParallel } from './gateway/signal-load.ts';
import { median, medianRatio } from './gateway/statistics.ts';
import { arrivals, writes } from './notification/arrival.ts';
import { openService, type Service, storeFinished } from './notification/service.ts';
import { measureStorm } from './notification/storm.ts';
import { callsOf, type Report, type Stage } from './orchestrator/stage.ts';
import type { Result } from './result.ts';

const ROUNDS = 7;
const PER_ROUND = 40;
const STORED = 10_000;
// One replica each, so that both sides begin at once: replicas wait for their turn in different ways with and without locking.
const ALONE = { CONTROLLER_TURN: '1ms', LOG_LEVEL: 'warn' };
const LOCKING = { USE_DISTRIBUTED_LOCKING: 'true' };

type Open = (namespace: string, env: Readonly<Record<string, string>>) => Promise<Service>;

export async function benchNotification(report: Report): Promise<Result[]> {
	const controlPlane = await startControlPlane({ auditLog: true });
	report(controlPlane.description);
	const api = KubeApi.fromFile(controlPlane.kubeconfigPath, 'kubernaut-bench');
	const opened: Service[] = [];
	try {
		const { auditLog } = controlPlane;
		if (auditLog === undefined) throw new Error(NO_AUDIT_LOG);
		await applyCrds(api);
		await appBundle('notification');
		const stage = { api, auditLog, adminKubeconfig: controlPlane.kubeconfigPath };
		const open: Open = async (namespace, env) => {
			const service = await openService(api, namespace, controlPlane.kubeconfigPath, env);
			opened.push(service);
			return service;
		};
		const stopAll = async () => {
			for (const service of opened.splice(0)) await service.stop();
		};
		const locking = await measureLocking(stage, open, report);
		await stopAll();
		const crowd = await open('storm', LOCKING);
		await crowd.start(3);
		const storm = await measureStorm(api, crowd, report);
		await stopAll();
		return [...locking, ...storm, ...(await measureGrowth(stage, open, report))];
	} finally {
		for (const service of opened) await service.stop();
		await api.close();
		await controlPlane.stop();
	}
}

async function measureLocking(stage: Stage, open: Open, report: Report): Promise<Result[]> {
	const off = await open('off', ALONE);
	const on = await open('on', { ...ALONE, ...LOCKING });
	for (const service of [off, on]) await service.start(1);
	report('warming up');
	for (const service of [off, on]) await arrivals(stage.api, service, PER_ROUND);
	const rounds = [];
	for (let round = 1; round <= ROUNDS; round++) {
		const write = await writes(stage.api, 'off', PER_ROUND);
		const without = await callsOf(stage.auditLog, off, () => arrivals(stage.api, off, PER_ROUND));
		const withLock = await callsOf(stage.auditLog, on, () => arrivals(stage.api, on, PER_ROUND));
		const added = withLock.value.p95 - without.value.p95;
		rounds.push({ write: write.p95, added, off: without.calls / PER_ROUND, on: withLock.calls / PER_ROUND });
		report(
			`round ${round}: p95 ${without.value.p95.toFixed(1)} ms without and ${withLock.value.p95.toFixed(1)} ms with locking, one write ${write.p95.toFixed(1)} ms; ${(without.calls / PER_ROUND).toFixed(2)} and ${(withLock.calls / PER_ROUND).toFixed(2)} calls`,
		);
	}
	return [
		{
			name: 'lockOverheadRatio',
			value: medianRatio(
				rounds,
				(round) => round.added,
				(round) => round.write,
			),
			unit: '× write',
			target: { atMost: 2.5 },
		},
		{
			name: 'lockOverhead.ms',
			value: median(rounds.map(({ added }) => added)),
			unit: 'ms',
			target: { atMost: 20 },
			floor: median(rounds.map(({ write }) => write)),
		},
		{ name: 'callsPerDelivery.off', value: median(rounds.map((round) => round.off)), unit: '' },
		{ name: 'callsPerDelivery.on', value: median(rounds.map((round) => round.on)), unit: '' },
	];
}

/** The same measurement beside few and beside many finished notifications. */
async function measureGrowth(stage: Stage, open: Open, report: Report): Promise<Result[]> {
	const few = await open('few', { ...ALONE, ...LOCKING });
	const many = await open('many', { ...ALONE, ...LOCKING });
	report(`storing ${STORED} finished notifications`);
	await inParallel(100, 50, () => storeFinished(stage.api, 'few'));
	await inParallel(STORED, 50, () => storeFinished(stage.api, 'many'));
	for (const service of [few, many]) {
		await service.start(1);
		await arrivals(stage.api, service, PER_ROUND);
	}
	const rounds = [];
	for (let round = 0; round < ROUNDS; round++)
		rounds.push({
			few: await callsOf(stage.auditLog, few, () => arrivals(stage.api, few, PER_ROUND)),
			many: await callsOf(stage.auditLog, many, () => arrivals(stage.api, many, PER_ROUND)),
		});
	const memory = await many.residentMb();
	const slower = medianRatio(
		rounds,
		(round) => round.many.value.p50,
		(round) => round.few.value.p50,
	);
	const more = medianRatio(
		rounds,
		(round) => round.many.calls,
		(round) => round.few.calls,
	);
	report(`with ${STORED} finished: p50 × ${slower.toFixed(2)}, calls × ${more.toFixed(2)}, ${memory.toFixed(0)} MB`);
	return [
		{ name: 'growth.ratio', value: Math.max(slower, more), unit: '×', target: { atMost: 1.2 } },
		{ name: 'memory.mb', value: memory, unit: 'MB', target: { atMost: 200 } },
	];
}
