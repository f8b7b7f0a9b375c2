import { describe, expect, it } from 'vitest';
import { toPod, toTask } from './tekton-run.ts';

const CREATED = '2026-11-18T10:00:00Z';
const META = { name: 'x', uid: 'uid', resourceVersion: '1', creationTimestamp: CREATED };

describe('a step of a TaskRun', () => {
	const started = (step: object) =>
		toTask({ metadata: META, status: { steps: [{ name: 'repair', ...step }] } }).steps[0];

	it('that Tekton marked as terminated while it waited has not begun, and has no exit code', () => {
		const terminated = { exitCode: 1, reason: 'TaskRunImagePullFailed', startedAt: CREATED };
		expect(started({ terminated, terminationReason: 'TaskRunImagePullFailed' })).toEqual({
			name: 'repair',
			started: false,
			exitCode: undefined,
			reason: 'TaskRunImagePullFailed',
		});
	});

	it('that ran has begun, also when it began in the second of the creation', () => {
		expect(started({ imageID: 'sha256:1', terminated: { exitCode: 1, startedAt: CREATED } })?.started).toBe(true);
		expect(started({ terminated: { exitCode: 1, startedAt: '2026-11-18T10:00:01Z' } })?.started).toBe(true);
		expect(started({ running: {} })?.started).toBe(true);
		expect(started({})?.started).toBe(false);
	});
});

it('a TaskRun that is tried again remembers that a step of an earlier attempt began', () => {
	const tried = (...earlier: object[]) =>
		toTask({
			metadata: META,
			status: { steps: [{ name: 'repair' }], retriesStatus: earlier.map((step) => ({ steps: [step] })) },
		}).beganBefore;
	expect(tried()).toBe(false);
	expect(tried({ terminated: { exitCode: 1, startedAt: CREATED } })).toBe(false);
	expect(tried({ terminated: { exitCode: 1, startedAt: '2026-11-18T10:00:01Z' } })).toBe(true);
});

describe('a pod', () => {
	const pod = (state: object, { deleted = false, phase = 'Running' } = {}) =>
		toPod({
			metadata: { ...META, ...(deleted ? { deletionTimestamp: CREATED } : {}) },
			spec: { containers: [{ name: 'step-repair' }, { name: 'sidecar-proxy' }] },
			status: {
				phase,
				containerStatuses: [
					{ name: 'step-repair', state },
					{ name: 'sidecar-proxy', state: { running: {} } },
				],
			},
		}).alive;

	it.each([
		{ what: 'whose step runs', state: { running: {} }, want: true },
		{ what: 'whose step runs while it is being deleted', state: { running: {} }, deleted: true, want: true },
		{ what: 'whose step is not known to have ended while it is being deleted', state: {}, deleted: true, want: true },
		{ what: 'whose step ended', state: { terminated: { exitCode: 0 } }, want: false },
		{ what: 'whose step waits for a ConfigMap', state: { waiting: {} }, phase: 'Pending', want: false },
		{ what: 'that is over', state: { running: {} }, phase: 'Failed', want: false },
	])('$what is alive: $want', ({ state, want, ...more }) => {
		expect(pod(state, more)).toBe(want);
	});
});
