// Objects as the executor sees them, made up for tests of decisions.
import type { Execution } from '../../src/objects/execution.ts';
import { type Run, type RunParts, type RunPod, type RunTask, runName } from '../../src/objects/run-engine.ts';

export const NAMESPACE = 'kubernaut-system';
export const TARGET = 'shop/Deployment/cart';
export const NOW = Date.parse('2026-11-17T12:00:00Z');
export const MINUTE = 60_000;
export const PLACE = { namespace: NAMESPACE, cooldownMs: 5 * MINUTE, now: NOW } as const;

/** As the API server writes it. */
export function at(milliseconds: number): string {
	return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

export function anExecution(changes: Partial<Execution> = {}): Execution {
	const chain = changes.chain ?? 0;
	return {
		name: `we-${chain}`,
		uid: `uid-of-we-${chain}`,
		resourceVersion: '1',
		generation: 1,
		createdAt: at(NOW - MINUTE),
		deleting: false,
		deletedAt: undefined,
		finalizers: ['kubernaut.ai/pipelinerun-cleanup'],
		fencingToken: '7',
		target: TARGET,
		chain,
		successor: undefined,
		timeoutMs: 10 * MINUTE,
		cooldownMs: undefined,
		phase: undefined,
		startTime: undefined,
		completionTime: undefined,
		run: undefined,
		conditions: [],
		plan: { pipelineRef: { name: 'restart' } },
		...changes,
	};
}

/** Its run is claimed. */
export function aRunning(changes: Partial<Execution> = {}): Execution {
	return anExecution({ phase: 'Running', startTime: at(NOW - MINUTE), run: runRef(), plan: undefined, ...changes });
}

/** It ran, and ended so long before now. */
export function anEnd(phase: 'Completed' | 'Failed', agoMs: number, changes: Partial<Execution> = {}): Execution {
	return aRunning({ phase, completionTime: at(NOW - agoMs), ...changes });
}

export function runRef(uid = 'uid-of-run') {
	return { name: runName(TARGET), uid };
}

/** Of the first execution, claimed and started. */
export function aRun(changes: Partial<Run> = {}): Run {
	return {
		name: runName(TARGET),
		uid: 'uid-of-run',
		resourceVersion: '10',
		createdAt: at(NOW - MINUTE),
		deletedAt: undefined,
		owner: { namespace: NAMESPACE, name: 'we-0', uid: 'uid-of-we-0' },
		lockKey: TARGET,
		madeBy: 'executor-0',
		held: true,
		inForeground: false,
		state: 'running',
		startedAt: at(NOW - MINUTE),
		endedAt: undefined,
		end: undefined,
		made: [],
		...changes,
	};
}

export function aDoneRun(agoMs = 1000, changes: Partial<Run> = {}): Run {
	const end = { succeeded: true, reason: 'Succeeded', message: 'Tasks Completed: 1' };
	return aRun({ state: 'done', endedAt: at(NOW - agoMs), end, ...changes });
}

export function aTask(changes: Partial<RunTask> = {}): RunTask {
	return {
		name: 'wfe-restart',
		uid: 'uid-of-task',
		task: 'restart',
		state: 'done',
		deleting: false,
		inForeground: false,
		end: undefined,
		steps: [],
		beganBefore: false,
		...changes,
	};
}

export function aPod(changes: Partial<RunPod> = {}): RunPod {
	return { name: 'wfe-restart-pod', alive: false, deleting: false, stepStarted: true, ...changes };
}

export function someParts(changes: Partial<RunParts> = {}): RunParts {
	return { tasks: [], pods: [], isMissing: false, ...changes };
}
