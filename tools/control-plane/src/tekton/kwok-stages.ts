// The stages through which KWOK leads a node, which is ready at once, and a pod on it: it starts, it ends as its
// annotations say, and it goes when it is deleted. At most one stage fits at a time: KWOK would choose at random.
import { stringify } from 'yaml';
import { ANNOTATIONS, type PodOutcome } from './pod-outcomes.ts';

type Expression = { key: string; operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'; values?: readonly string[] };
type Stage = {
	kind: 'Node' | 'Pod';
	name: string;
	when: readonly Expression[];
	delay?: Delay;
	next: { delete: true } | { status: string };
};
type Delay = { defaultMs: number; annotation: string };

const NEVER_STARTS: readonly PodOutcome[] = [
	'ImagePullBackOff',
	'ErrImagePull',
	'InvalidImageName',
	'CreateContainerConfigError',
	'CreateContainerError',
];
const ENDS_BADLY: readonly PodOutcome[] = ['Error', 'OOMKilled'];
/** Those that Tekton puts before the steps. */
const INIT_CONTAINERS = ['prepare', 'place-scripts', 'working-dir-initializer'];
const DEFAULT_RUN_MS = 500;

/** For everything that tests start. */
const NODE_ROOM = '{ cpu: 64, memory: 256Gi, pods: 10000, ephemeral-storage: 1Ti }';

const DELETED = '.metadata.deletionTimestamp';
const PHASE = '.status.phase';
const annotation = (name: string) => `.metadata.annotations["${name}"]`;
const isAlive: Expression = { key: DELETED, operator: 'DoesNotExist' };
const isIn = (key: string, ...values: string[]): Expression => ({ key, operator: 'In', values });
const isNotIn = (key: string, ...values: string[]): Expression => ({ key, operator: 'NotIn', values });
const outcome = annotation(ANNOTATIONS.outcome);
const container = annotation(ANNOTATIONS.container);
const runs: Delay = { defaultMs: DEFAULT_RUN_MS, annotation: ANNOTATIONS.duration };

// In every template: when it is, the pod's annotations, and the container that they name.
const HEAD = `
{{ $now := Now }}
{{ $play := or .metadata.annotations dict }}
{{ $outcome := or (index $play "${ANNOTATIONS.outcome}") "Completed" }}
{{ $message := or (index $play "${ANNOTATIONS.message}") "" }}
{{ $chosen := or (index $play "${ANNOTATIONS.container}") (index .spec.containers 0).name }}
{{ $code := or (index $play "${ANNOTATIONS.exitCode}") "1" }}
{{ if eq $outcome "OOMKilled" }}{{ $code = "137" }}{{ end }}
`;
/** Tekton's own word for a step whose predecessor failed: its entrypoint writes it and exits with 1. */
const SKIPPED = JSON.stringify(JSON.stringify([{ key: 'Reason', value: 'Skipped', type: 3 }]));

const conditions = (ready: 'True' | 'False') => `
conditions:
{{ range (list "Initialized" "Ready" "ContainersReady") }}
- { type: {{ . }}, status: "${ready}", lastTransitionTime: {{ $now | Quote }} }
{{ end }}`;

/** The head of a container's status; what follows is its state. One that was never made has no imageID. */
const UNMADE = `
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  restartCount: 0`;
const CONTAINER = UNMADE.replace('imageID: ""', 'imageID: {{ .image | Quote }}');
const ended = (code: string, reason: string, message: string) => `
  ready: false
  started: false
  state:
    terminated:
      exitCode: ${code}
      reason: ${reason}
      message: ${message}
      startedAt: {{ or $root.status.startTime $now | Quote }}
      finishedAt: {{ $now | Quote }}`;
const WAITING = `
  ready: false
  started: false
  state: { waiting: { reason: PodInitializing } }`;

// KWOK plays pods only on nodes that it has a stage for.
const NODE_STAGE: Stage = {
	kind: 'Node',
	name: 'gets-ready',
	when: [isNotIn('.status.conditions.[] | select( .type == "Ready" ) | .status', 'True')],
	next: {
		status: `{{ $now := Now }}
conditions:
- type: Ready
  status: "True"
  reason: KubeletReady
  lastHeartbeatTime: {{ $now | Quote }}
  lastTransitionTime: {{ $now | Quote }}
capacity: ${NODE_ROOM}
allocatable: ${NODE_ROOM}`,
	},
};

const POD_STAGES: readonly Omit<Stage, 'kind'>[] = [
	{
		name: 'starts',
		when: [isAlive, isIn(PHASE, 'Pending'), isNotIn(outcome, ...NEVER_STARTS), isNotIn(container, ...INIT_CONTAINERS)],
		next: {
			status: `${HEAD}{{ $root := . }}${conditions('True')}
initContainerStatuses:
{{ range .spec.initContainers }}${CONTAINER}${ended('0', 'Completed', '""')}
{{ end }}
containerStatuses:
{{ range .spec.containers }}${CONTAINER}
  ready: true
  started: true
  state: { running: { startedAt: {{ $now | Quote }} } }
{{ end }}
phase: Running
startTime: {{ $now | Quote }}`,
		},
	},
	{
		name: 'never-starts',
		when: [
			isAlive,
			isIn(PHASE, 'Pending'),
			isIn(outcome, ...NEVER_STARTS),
			{ key: '.status.containerStatuses.[].name', operator: 'DoesNotExist' },
		],
		next: {
			status: `${HEAD}
containerStatuses:
{{ range $i, $_ := .spec.containers }}${UNMADE}
  ready: false
  started: false
  state:
    waiting:
      reason: {{ if eq $i 0 }}{{ $outcome }}{{ else }}PodInitializing{{ end }}
      message: {{ printf "%s: as the annotation of the pod says" $outcome | Quote }}
{{ end }}
phase: Pending`,
		},
	},
	{
		name: 'fails-to-initialize',
		when: [isAlive, isIn(PHASE, 'Pending'), isIn(outcome, ...ENDS_BADLY), isIn(container, ...INIT_CONTAINERS)],
		next: {
			status: `${HEAD}{{ $root := . }}${conditions('False')}
initContainerStatuses:
{{ range .spec.initContainers }}${CONTAINER}{{ if eq .name $chosen }}${ended('{{ $code }}', '{{ $outcome }}', '""')}
{{ else }}${WAITING}
{{ end }}
{{ end }}
containerStatuses:
{{ range .spec.containers }}${UNMADE}${WAITING}
{{ end }}
phase: Failed
startTime: {{ $now | Quote }}`,
		},
	},
	{
		name: 'completes',
		when: [isAlive, isIn(PHASE, 'Running'), isNotIn(outcome, 'Running', 'Evicted', ...ENDS_BADLY)],
		delay: runs,
		next: {
			status: `${HEAD}{{ $root := . }}${conditions('False')}
containerStatuses:
{{ range .spec.containers }}${CONTAINER}${ended('0', 'Completed', '{{ $message | Quote }}')}
{{ end }}
phase: Succeeded`,
		},
	},
	{
		name: 'fails',
		when: [isAlive, isIn(PHASE, 'Running'), isIn(outcome, ...ENDS_BADLY)],
		delay: runs,
		next: {
			status: `${HEAD}{{ $root := . }}{{ $failed := false }}${conditions('False')}
containerStatuses:
{{ range .spec.containers }}${CONTAINER}
{{- if eq .name $chosen }}{{ $failed = true }}${ended('{{ $code }}', '{{ $outcome }}', '{{ $message | Quote }}')}
{{ else if and $failed (hasPrefix "step-" .name) }}${ended('1', 'Error', SKIPPED)}
{{ else }}${ended('0', 'Completed', '{{ $message | Quote }}')}
{{ end }}
{{ end }}
phase: Failed`,
		},
	},
	{
		name: 'is-evicted',
		when: [isAlive, isIn(PHASE, 'Running'), isIn(outcome, 'Evicted')],
		delay: runs,
		next: {
			status: `${HEAD}{{ $root := . }}${conditions('False')}
containerStatuses:
{{ range .spec.containers }}${CONTAINER}${ended('137', 'Error', '""')}
{{ end }}
phase: Failed
reason: Evicted
message: "The node was low on resource: memory."`,
		},
	},
	{
		name: 'stops',
		when: [
			{ key: DELETED, operator: 'Exists' },
			isNotIn(PHASE, 'Succeeded', 'Failed'),
			isNotIn(annotation(ANNOTATIONS.stopsAfter), 'never'),
		],
		delay: { defaultMs: 0, annotation: ANNOTATIONS.stopsAfter },
		next: { delete: true },
	},
	{
		name: 'goes',
		when: [{ key: DELETED, operator: 'Exists' }, isIn(PHASE, 'Succeeded', 'Failed')],
		next: { delete: true },
	},
];

/** KWOK's configuration file. */
export function kwokStages(): string {
	const podStages = POD_STAGES.map((stage): Stage => ({ kind: 'Pod', ...stage }));
	return [NODE_STAGE, ...podStages].map((stage) => stringify(stageObject(stage))).join('---\n');
}

function stageObject({ kind, name, when, delay, next }: Stage): object {
	return {
		apiVersion: 'kwok.x-k8s.io/v1alpha1',
		kind: 'Stage',
		metadata: { name: `${kind.toLowerCase()}-${name}` },
		spec: {
			resourceRef: { apiGroup: 'v1', kind },
			selector: { matchExpressions: when },
			...(delay && {
				delay: {
					durationMilliseconds: delay.defaultMs,
					durationFrom: { expressionFrom: annotation(delay.annotation) },
				},
			}),
			next: 'delete' in next ? next : { statusTemplate: next.status },
		},
	};
}
