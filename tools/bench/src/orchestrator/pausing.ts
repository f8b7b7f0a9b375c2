// A pause beside requests that wait already: what it costs to set it and to lift it, and how long it takes until a new
// request feels it.
import { randomBytes } from 'node:crypto';
import { applyObject } from '@kubernaut/testkit/apply';
import { freshDeployment, inParallel } from '../gateway/signal-load.ts';
import type { Result } from '../result.ts';
import { callsOf, createRequest, type Open, type Report, type Stage, untilRequests } from './stage.ts';

const WAITING = 500;
const CONFIG_MAP = 'kubernaut-pause';
/** No workflow matches it, so that its requests wait. */
const UNMATCHED = 'BenchUnmatched';
/** Of the pause itself and of the request that feels it. */
const FEW = 50;

export async function measurePausing(stage: Stage, open: Open, report: Report): Promise<Result[]> {
	const orchestra = await open('pausing', 3);
	const { namespace } = orchestra;
	await inParallel(WAITING, 50, () =>
		createRequest(stage, namespace, `waits-${randomBytes(6).toString('hex')}`, UNMATCHED),
	);
	await untilRequests(stage, namespace, (all) =>
		all.every(({ notificationRequestRefs = [] }) => notificationRequestRefs.length > 0),
	);
	const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: CONFIG_MAP, namespace } };
	const pausing = await callsOf(stage.auditLog, orchestra, async () => {
		const startedAt = performance.now();
		await applyObject(stage.api, { ...configMap, data: { all: 'true' } });
		await createRequest(stage, namespace, freshDeployment('paused'));
		await untilRequests(stage, namespace, (all) => all.some(({ blockReason }) => blockReason === 'Paused'));
		return (performance.now() - startedAt) / 1000;
	});
	const lifting = await callsOf(stage.auditLog, orchestra, async () => {
		const startedAt = performance.now();
		await stage.api.call('DELETE', `/api/v1/namespaces/${namespace}/configmaps/${CONFIG_MAP}`);
		await untilRequests(stage, namespace, (all) => all.some(({ overallPhase }) => overallPhase === 'Executing'));
		return (performance.now() - startedAt) / 1000;
	});
	await orchestra.stop();
	report(
		`${WAITING} waiting: paused with ${pausing.calls} calls in ${pausing.value.toFixed(1)} s, lifted with ${lifting.calls} in ${lifting.value.toFixed(1)} s`,
	);
	return [
		{ name: 'pause.calls', value: pausing.calls, unit: `with ${WAITING} waiting`, target: { atMost: FEW } },
		{ name: 'resume.calls', value: lifting.calls, unit: `with ${WAITING} waiting`, target: { atMost: FEW } },
	];
}
