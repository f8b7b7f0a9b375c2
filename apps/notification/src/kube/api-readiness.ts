// Readiness of the API server: it answers, and it serves the kinds that this app needs. Checked repeatedly: an app stops
// being ready when the API server goes away, and recovers without a restart.
import { type Backoff, type Clock, systemClock } from '@kubernaut/backoff';
import type { Check } from '../process/health-server.ts';
import { type KubeClient, KubeError } from './kube.ts';

export type ApiReadiness = { check(): Check; stop(): void };

const NAME = 'kubernetes-api';
const OURS = 'kubernaut.ai/v1alpha1';
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
		const missing: string[] = [];
		for (const [group, names] of byGroup(kinds)) {
			const served = await servedBy(kube, group);
			const absent = names.filter((name) => !served.includes(name));
			if (absent.length > 0) missing.push(`${absent.join(', ')}: ${adviceFor(group)}`);
		}
		return missing.length === 0
			? { name: NAME, ok: true, message: `${kube.server} serves ${kinds.join(', ')}` }
			: { name: NAME, ok: false, message: `${kube.server} does not serve ${missing.join('; ')}` };
	} catch (error) {
		return { name: NAME, ok: false, message: error instanceof Error ? error.message : String(error) };
	}
}

/** A kind of another group is written `<group>/<version>/<plural>`. */
function byGroup(kinds: readonly string[]): Map<string, string[]> {
	const groups = new Map<string, string[]>();
	for (const kind of kinds) {
		const [name = '', version, group] = kind.split('/').toReversed();
		const key = group === undefined ? OURS : `${group}/${version}`;
		groups.set(key, [...(groups.get(key) ?? []), name]);
	}
	return groups;
}

async function servedBy(kube: Pick<KubeClient, 'call'>, group: string): Promise<string[]> {
	try {
		const { resources } = await kube.call<{ resources: { name: string }[] }>({
			verb: 'get',
			path: `/apis/${group}`,
			resource: 'discovery',
			lane: 'readiness',
		});
		return resources.map(({ name }) => name);
	} catch (error) {
		// Without any of its kinds the API group does not exist either.
		if (error instanceof KubeError && error.code === 'KUBE_NOT_FOUND') return [];
		throw error;
	}
}

function adviceFor(group: string): string {
	return group === OURS ? 'apply deploy/crds' : `install what serves ${group}`;
}
