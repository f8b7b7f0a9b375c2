// The notification service: what locking adds to a delivery, what a delivery costs, a storm, and many finished notifications.
import { KubeApi, startControlPlane } from '@kubernaut/control-plane';
import { appBundle } from '@kubernaut/testkit/app-process';
import { applyCrds } from '@kubernaut/testkit/apply';
import { NO_AUDIT_LOG } from './gateway/arena.ts';
import { inParallel } from './gateway/signal-load.ts';
import { median, medianRatio } from './gateway/statistics.ts';
import { arrival, inTurn, oneWrite } from './notification/arrival.ts';
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
	const { api, auditLog } = stage;
	const measure = {
		write: () => oneWrite(api, 'off'),
		off: () => arrival(api, off),
		on: () => arrival(api, on),
	};
	await inTurn(measure, PER_ROUND);
	const rounds = [];
	for (let round = 1; round <= ROUNDS; round++) {
		const ofOff = await callsOf(auditLog, off, () => callsOf(auditLog, on, () => inTurn(measure, PER_ROUND)));
		const ofOn = ofOff.value;
		const { write, off: without, on: withLock } = ofOn.value;
		const calls = { off: ofOff.calls / PER_ROUND, on: ofOn.calls / PER_ROUND };
		rounds.push({ write: write.p95, added: withLock.p95 - without.p95, ...calls });
		report(
			`round ${round}: p95 ${without.p95.toFixed(1)} ms without and ${withLock.p95.toFixed(1)} ms with locking, one write ${write.p95.toFixed(1)} ms; ${calls.off.toFixed(2)} and ${calls.on.toFixed(2)} calls`,
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
	for (const service of [few, many]) await service.start(1);
	const measure = { few: () => arrival(stage.api, few), many: () => arrival(stage.api, many) };
	await inTurn(measure, PER_ROUND);
	const rounds = [];
	for (let round = 0; round < ROUNDS; round++) {
		const ofFew = await callsOf(stage.auditLog, few, () =>
			callsOf(stage.auditLog, many, () => inTurn(measure, PER_ROUND)),
		);
		const { value, calls } = ofFew.value;
		rounds.push({ few: { ...value.few, calls: ofFew.calls }, many: { ...value.many, calls } });
	}
	const memory = await many.residentMb();
	const slower = medianRatio(
		rounds,
		(round) => round.many.p50,
		(round) => round.few.p50,
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
