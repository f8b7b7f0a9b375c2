// What the demo lets happen after the storm: alerts that meet on targets, and what there is to do about them.
import { ALERT_NAME } from '@kubernaut/bench/signal-request';
import { type KubeObject, type PodPlay, podAnnotations } from '@kubernaut/control-plane';
import { CRASH_ALERT } from './roll-out.ts';

export type Incident = { readonly alertName: string; readonly deployment: string };

/** Sent all at once. Different alerts about one deployment are different requests about one target. */
export const INCIDENTS: readonly Incident[] = [
	{ alertName: 'PodCrashLooping', deployment: 'cart' },
	{ alertName: 'PodNotReady', deployment: 'cart' },
	{ alertName: 'ErrorRateHigh', deployment: 'cart' },
	{ alertName: 'CpuThrottlingHigh', deployment: 'cart' },
	{ alertName: 'CacheStale', deployment: 'search' },
	{ alertName: 'CacheMissesHigh', deployment: 'search' },
	{ alertName: 'CertificateExpires', deployment: 'checkout' },
];

/** Its Pipeline does not work until it is mended. */
export const FLAKY_WORKFLOW = 'flush-cache';

/** It brings its pipeline along; the others name a Pipeline of the execution namespace. */
const EMBEDDED_WORKFLOW = 'scale-up';

/** Short, so that its end can be waited for; 5 minutes is what an orchestrator does by itself. */
export const COOLDOWN = '3s';
/** After a failed run. 10 minutes is what an orchestrator does by itself. */
export const FAILURE_BACKOFF = '3s';

const WORKFLOWS: Readonly<Record<string, readonly string[]>> = {
	restart: [ALERT_NAME, CRASH_ALERT, 'PodCrashLooping', 'PodNotReady', 'ErrorRateHigh'],
	'scale-up': ['CpuThrottlingHigh'],
	[FLAKY_WORKFLOW]: ['CacheStale', 'CacheMissesHigh'],
};
/** Of the Pipelines that they name. */
export const PIPELINE_NAMES: readonly string[] = Object.keys(WORKFLOWS).filter((name) => name !== EMBEDDED_WORKFLOW);

/** A person may see what runs before it ends. */
export const WORKS: PodPlay = { durationMs: 1000 };

/** What an alert says reaches a step through its environment, never as part of a script. */
export function pipelineSpec(play: PodPlay): object {
	const step = {
		name: 'repair',
		image: 'simulated',
		command: ['kubectl'],
		args: ['rollout', 'restart'],
		env: [{ name: 'TARGET', value: '$(params.TARGET)' }],
	};
	const task = {
		name: 'repair',
		params: [{ name: 'TARGET', value: '$(params.TARGET)' }],
		taskSpec: { metadata: { annotations: podAnnotations(play) }, params: [{ name: 'TARGET' }], steps: [step] },
	};
	return { params: [{ name: 'TARGET' }], tasks: [task] };
}

export function workflowObjects(namespace: string): KubeObject[] {
	return Object.entries(WORKFLOWS).map(([name, signalNames]) => ({
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationWorkflow',
		metadata: { name, namespace },
		spec: {
			match: { signalNames: [...signalNames], targetKinds: ['Deployment'] },
			...(name === EMBEDDED_WORKFLOW ? { pipelineSpec: pipelineSpec(WORKS) } : { pipelineRef: { name } }),
			parameters: { TARGET: '{{ target }}' },
			cooldown: COOLDOWN,
		},
	}));
}

/** A line each. */
export function workflowsInWords(): string[] {
	return Object.entries(WORKFLOWS).map(
		([name, signals]) =>
			`Workflow ${name} answers ${signals.join(', ')}${name === EMBEDDED_WORKFLOW ? ', and brings its pipeline along' : ''}.`,
	);
}
