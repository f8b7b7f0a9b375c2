// How a simulated pod behaves, chosen by annotations. Tekton passes annotations on to the pod from the PipelineRun, from
// the Task, and from `taskSpec.metadata` of an embedded task.
const PREFIX = 'simulation.kubernaut.ai/';

/** In the kubelet's own words: the reason that it reports. */
export const OUTCOMES = {
	Completed: 'All containers end with 0. The default.',
	Error: 'One container ends with an exit code; steps after it are skipped.',
	OOMKilled: 'One container runs out of memory; steps after it are skipped.',
	Evicted: 'The node runs out of memory and ends the pod.',
	ImagePullBackOff: 'The image of the first step cannot be pulled.',
	ErrImagePull: 'The image of the first step is still being tried: Tekton waits.',
	InvalidImageName: 'The image of the first step has a name that cannot exist.',
	CreateContainerConfigError: 'A ConfigMap or Secret of the first step is missing.',
	CreateContainerError: 'The container runtime cannot make the first step.',
	Running: 'The containers run until the pod is deleted.',
} as const;
export type PodOutcome = keyof typeof OUTCOMES;

export type PodPlay = {
	outcome?: PodOutcome;
	/** Of the container that ends with Error; default 1. */
	exitCode?: number;
	/** The one that ends with Error or OOMKilled: `step-…`, `sidecar-…` or `prepare`. Default the first step. */
	container?: string;
	/** How long its containers run; default half a second. */
	durationMs?: number;
	/** Termination message of all steps, in Tekton's form: results, start times. */
	message?: string;
	/** How long its containers go on when the pod is deleted, with never: as on a node that is gone. Default not at all. */
	stopsAfterMs?: number | 'never';
};

export const ANNOTATIONS = {
	outcome: `${PREFIX}outcome`,
	exitCode: `${PREFIX}exit-code`,
	container: `${PREFIX}container`,
	duration: `${PREFIX}duration`,
	message: `${PREFIX}message`,
	stopsAfter: `${PREFIX}stops-after`,
} as const;

export function podAnnotations(play: PodPlay): Record<string, string> {
	const { outcome, exitCode, container, durationMs, message, stopsAfterMs } = play;
	const ms = (value: number | 'never') => (value === 'never' ? value : `${value}ms`);
	return {
		...(outcome && { [ANNOTATIONS.outcome]: outcome }),
		...(exitCode !== undefined && { [ANNOTATIONS.exitCode]: String(exitCode) }),
		...(container && { [ANNOTATIONS.container]: container }),
		...(durationMs !== undefined && { [ANNOTATIONS.duration]: ms(durationMs) }),
		...(message && { [ANNOTATIONS.message]: message }),
		...(stopsAfterMs !== undefined && { [ANNOTATIONS.stopsAfter]: ms(stopsAfterMs) }),
	};
}
