// Readiness of the API server: it answers, and it serves the kinds that this app needs. Checked repeatedly: an app stops
// being ready when the API server goes away, and recovers without a restart.
import { type Backoff, type Clock, systemClock } from '@kubernaut/backoff';
import type { Check } from '../process/health-server.ts';
import { type KubeClient, KubeError } from './kube.ts';

export type ApiReadiness = { check(): Check; stop(): void };

const NAME = 'kubernetes-api';
const RECHECK_MS = 5000;

export function followApiReadiness(
	kube: Pick<KubeClient, 'server' | 'call'>,
	kinds: readonly string[],
	backoff: Pick<Backoff, 'calculate'>,
	onChange: (check: Check) => void,
	clock: Clock = systemClock,
): ApiReadiness {
	let current: Check = { name: NAME, ok: false, message: 'not checked yet' };
	let failures = 0;
	let stopped = false;
	let cancelNext: (() => void) | undefined;

	async function update(): Promise<void> {
		const next = await tryCheck(kube, kinds);
		if (stopped) return;
		failures = next.ok ? 0 : failures + 1;
		const changed = next.ok !== current.ok || next.message !== current.message;
		current = next;
		if (changed) onChange(next);
		cancelNext = clock.setTimer(() => void update(), next.ok ? RECHECK_MS : backoff.calculate(failures));
	}
	void update();
	return {
		check: () => current,
		stop() {
			stopped = true;
			cancelNext?.();
		},
	};
}

async function tryCheck(kube: Pick<KubeClient, 'server' | 'call'>, kinds: readonly string[]): Promise<Check> {
	try {
		const { resources } = await kube.call<{ resources: { name: string }[] }>({
			verb: 'get',
			path: '/apis/kubernaut.ai/v1alpha1',
			resource: 'discovery',
			lane: 'readiness',
		});
		const missing = kinds.filter((kind) => !resources.some(({ name }) => name === kind));
		return missing.length === 0
			? { name: NAME, ok: true, message: `${kube.server} serves ${kinds.join(', ')}` }
			: { name: NAME, ok: false, message: `${kube.server} does not serve ${missing.join(', ')}: apply deploy/crds` };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		// Without any of our kinds the API group does not exist either.
		const noGroup = error instanceof KubeError && error.code === 'KUBE_NOT_FOUND';
		return { name: NAME, ok: false, message: noGroup ? `${reason}: apply deploy/crds` : reason };
	}
}
