import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kwokStages } from './kwok-stages.ts';
import { ANNOTATIONS, OUTCOMES, type PodOutcome, podAnnotations } from './pod-outcomes.ts';

type Expression = { key: string; operator: string; values?: string[] };
type Pod = { deleted?: true; phase: string; play: Record<string, string>; hasStatuses?: true };

const stages = parseAllDocuments(kwokStages())
	.map((document) => document.toJS())
	.filter(({ spec }) => spec.resourceRef.kind === 'Pod');

/** As KWOK judges: an absent key is in nothing. */
function fits({ key, operator, values = [] }: Expression, pod: Pod): boolean {
	const value = valueOf(key, pod);
	if (operator === 'Exists') return value !== undefined;
	if (operator === 'DoesNotExist') return value === undefined;
	const isIn = value !== undefined && values.includes(value);
	return operator === 'In' ? isIn : !isIn;
}

function valueOf(key: string, pod: Pod): string | undefined {
	if (key === '.metadata.deletionTimestamp') return pod.deleted && 'now';
	if (key === '.status.phase') return pod.phase;
	if (key === '.status.containerStatuses.[].name') return pod.hasStatuses && 'step-repair';
	const annotation = /^\.metadata\.annotations\["(.*)"\]$/.exec(key)?.[1];
	if (annotation === undefined) throw new Error(`the test does not know ${key}`);
	return pod.play[annotation];
}

function stagesOf(pod: Pod): string[] {
	return stages
		.filter(({ spec }) => (spec.selector.matchExpressions as Expression[]).every((expression) => fits(expression, pod)))
		.map(({ metadata }) => metadata.name as string);
}

const play = (outcome: PodOutcome, container?: string) => podAnnotations({ outcome, ...(container && { container }) });
const NEVER_STARTS: readonly PodOutcome[] = [
	'ImagePullBackOff',
	'ErrImagePull',
	'InvalidImageName',
	'CreateContainerConfigError',
	'CreateContainerError',
];
const ENDS: Partial<Record<PodOutcome, string>> = {
	Error: 'pod-fails',
	OOMKilled: 'pod-fails',
	Evicted: 'pod-is-evicted',
};

it.each(NEVER_STARTS)('%s: it waits', (outcome) => {
	expect(stagesOf({ phase: 'Pending', play: play(outcome) })).toEqual(['pod-never-starts']);
	expect(stagesOf({ phase: 'Pending', play: play(outcome), hasStatuses: true })).toEqual([]);
});

const STARTS = (Object.keys(OUTCOMES) as PodOutcome[]).filter((outcome) => !NEVER_STARTS.includes(outcome));
it.each(STARTS)('%s: it starts, and one stage at a time fits', (outcome) => {
	expect(stagesOf({ phase: 'Pending', play: play(outcome) })).toEqual(['pod-starts']);
	const want = outcome === 'Running' ? [] : [ENDS[outcome] ?? 'pod-completes'];
	expect(stagesOf({ phase: 'Running', play: play(outcome) })).toEqual(want);
});

it('a pod without annotations completes', () => {
	expect(stagesOf({ phase: 'Pending', play: {} })).toEqual(['pod-starts']);
	expect(stagesOf({ phase: 'Running', play: {} })).toEqual(['pod-completes']);
});

it.each(['Error', 'OOMKilled'] as const)('%s of an init container comes before anything starts', (outcome) => {
	expect(stagesOf({ phase: 'Pending', play: play(outcome, 'prepare') })).toEqual(['pod-fails-to-initialize']);
});

it.each(['Pending', 'Running', 'Succeeded', 'Failed'])('a pod that is deleted while it is %s goes', (phase) => {
	const isOver = ['Succeeded', 'Failed'].includes(phase);
	expect(stagesOf({ deleted: true, phase, play: {} })).toEqual([isOver ? 'pod-goes' : 'pod-stops']);
	const never = podAnnotations({ stopsAfterMs: 'never' });
	expect(stagesOf({ deleted: true, phase, play: never })).toEqual(isOver ? ['pod-goes'] : []);
});

it('writes what is asked for, and nothing else', () => {
	expect(podAnnotations({})).toEqual({});
	expect(podAnnotations({ outcome: 'Error', exitCode: 0, durationMs: 20, stopsAfterMs: 1_500 })).toEqual({
		[ANNOTATIONS.outcome]: 'Error',
		[ANNOTATIONS.exitCode]: '0',
		[ANNOTATIONS.duration]: '20ms',
		[ANNOTATIONS.stopsAfter]: '1500ms',
	});
});
