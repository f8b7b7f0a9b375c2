import { describe, expect, it } from 'vitest';
import {
	anApproval,
	anEnd,
	anExecution,
	aRequest,
	at,
	aView,
	aWorkflow,
	CONFIG,
	MINUTE,
	NOW,
	TARGET,
} from '../../test/harness/made-up.ts';
import type { Execution } from '../objects/execution.ts';
import type { Remediation } from '../objects/remediation.ts';
import type { TargetView } from '../objects/target-view.ts';
import { digestAskedBy } from './approval.ts';
import type { LockedDecision } from './decision.ts';
import { route } from './routing.ts';

const older = aRequest({ name: 'rr-older', uid: 'uid-0', createdAt: at(NOW - 2 * MINUTE) });
const request = aRequest();
/** The block reason, the outcome, or the kind of decision. */
function resultOf(decision: LockedDecision): string {
	if (decision.do === 'block') return decision.block.reason;
	return decision.do === 'finish' ? decision.outcome : decision.do;
}
const routed = (view: Partial<TargetView>) => route(request, aView({ requests: [request], ...view }), CONFIG);
const blockOf = (view: Partial<TargetView>) => {
	const decision = routed(view);
	if (decision.do !== 'block') throw new Error(`expected a block: ${decision.do}`);
	return decision.block;
};

describe('labels and annotations that were left out', () => {
	it.each([
		{ whose: 'of the request', one: { ...request, hasTexts: false }, others: [] },
		{ whose: 'of another one of the target', one: request, others: [{ ...older, hasTexts: false }] },
	])('$whose: nothing is decided', ({ one, others }) => {
		expect(() => route(one, aView({ requests: [one, ...others] }), CONFIG)).toThrow('were not read');
	});

	it('of a request that is over do not matter', () => {
		const over = { ...older, phase: 'Completed', hasTexts: false } as const;
		expect(resultOf(routed({ requests: [over, request] }))).toBe('execute');
	});
});

describe('the order of the checks', () => {
	// Every check would decide at once; each step takes away the one before.
	const failures = [1, 2, 3].map((chain) => anEnd('Failed', (4 - chain) * MINUTE, { chain }));
	const success = anEnd('Completed', 30_000, { chain: 4, cooldownMs: 0 });
	const dryRun = aWorkflow('restart', { mode: 'DryRun', parameters: { P: '{{ labels.none }}' } });
	const dryRunOfAll = aWorkflow('restart', { mode: 'DryRun' });
	const withApproval = aWorkflow('restart', { mode: 'Approval', parameters: { P: '{{ labels.none }}' } });
	const holder = anExecution({ chain: 5 });
	const all = { requests: [older, request], executions: [...failures, holder], workflows: [dryRun] };
	const recent = anEnd('Failed', MINUTE, { chain: 1 });
	it.each<{ want: string; view: Partial<TargetView> }>([
		{ want: 'Paused', view: { ...all, workflows: [], pausedBecause: 'a person said so' } },
		{ want: 'NoWorkflow', view: { ...all, workflows: [] } },
		{ want: 'ConsecutiveFailures', view: all },
		{ want: 'DuplicateInProgress', view: { ...all, executions: [holder] } },
		{ want: 'ResourceBusy', view: { ...all, executions: [success, recent, holder], requests: [request] } },
		{ want: 'RemediatedByAnother', view: { executions: [anEnd('Completed', 30_000)], workflows: [dryRunOfAll] } },
		{ want: 'RecentlyRemediated', view: { ...all, executions: [recent], requests: [request] } },
		{ want: 'ExponentialBackoff', view: { ...all, executions: [{ ...recent, cooldownMs: 0 }], requests: [request] } },
		{ want: 'ConfigurationError', view: { workflows: [dryRun] } },
		{ want: 'ConfigurationError', view: { workflows: [withApproval] } },
		{ want: 'AwaitingApproval', view: { workflows: [aWorkflow('restart', { mode: 'Approval' })] } },
		{ want: 'DryRun', view: { workflows: [aWorkflow('restart', { mode: 'DryRun' })] } },
		{ want: 'execute', view: {} },
	])('$want comes first when no check before it decides', ({ want, view }) => {
		expect(resultOf(routed(view))).toBe(want);
	});
});

// Replicas know the same objects in different orders; two that decided differently would overwrite each other.
describe('the decision', () => {
	const unreadable = (name: string) => aWorkflow(name, { match: { signalNames: ['^\\p{NoSuchClass}$'] } });
	const success = (chain: number) => anEnd('Completed', 30_000 - chain * 1000, { chain });
	it.each<{ why: string; view: Partial<TargetView> }>([
		{ why: 'holders', view: { executions: [anExecution({ chain: 1 }), anExecution({ chain: 0, deleting: true })] } },
		{ why: 'workflows that cannot be compiled', view: { workflows: [unreadable('b'), unreadable('a')] } },
		{ why: 'successes of others', view: { executions: [success(1), success(0)] } },
	])('does not depend on the order of $why', ({ view }) => {
		const { executions = [], workflows = [aWorkflow()] } = view;
		const reversed = { executions: executions.toReversed(), workflows: workflows.toReversed() };
		expect(routed(view)).toEqual(routed(reversed));
	});
});

describe('ConsecutiveFailures', () => {
	const failed = (minutes: readonly number[]) =>
		minutes.map((ago, chain) => anEnd('Failed', ago * MINUTE, { chain, cooldownMs: 0 }));
	it.each([
		{ why: 'three in the window', executions: failed([40, 30, 20]), want: 'ConsecutiveFailures' },
		{ why: 'more than three', executions: failed([50, 40, 30, 20]), want: 'ConsecutiveFailures' },
		{ why: 'two', executions: failed([30, 25]), want: 'execute' },
		{ why: 'three, exactly a window apart', executions: failed([119, 100, 59]), want: 'ConsecutiveFailures' },
		{ why: 'three, further apart', executions: failed([120, 100, 59]), want: 'execute' },
		{ why: 'three, the last a window ago', executions: failed([80, 70, 60]), want: 'execute' },
		{
			why: 'three with a success between',
			executions: [
				...failed([50, 40]),
				anEnd('Completed', 30 * MINUTE, { chain: 2 }),
				...failed([25]).map((e) => ({ ...e, chain: 3 })),
			],
			want: 'execute',
		},
		{
			why: 'three, with one between them that never ran',
			executions: [
				...failed([50, 40, 30]),
				anExecution({ chain: 9, phase: 'Skipped', completionTime: at(NOW - 20 * MINUTE) }),
			],
			want: 'ConsecutiveFailures',
		},
		{
			why: 'three of another workflow',
			executions: failed([40, 30, 20]).map((e) => ({ ...e, workflowUid: 'uid-of-scale' })),
			want: 'execute',
		},
		{
			why: 'three, with a success of another workflow between them',
			executions: [
				...failed([50, 40]),
				anEnd('Completed', 30 * MINUTE, { chain: 2, workflowName: 'scale' }),
				...failed([25]).map((e) => ({ ...e, chain: 3 })),
			],
			want: 'ConsecutiveFailures',
		},
		// The order is the chain's, not that of times with steps of a second.
		{
			why: 'a success that came last in the chain, in the same second',
			executions: [...failed([30, 30, 30]), anEnd('Completed', 30 * MINUTE, { chain: 3 })],
			want: 'execute',
		},
	])('$why: $want', ({ executions, want }) => {
		expect(resultOf(routed({ executions }))).toBe(want);
		expect(resultOf(routed({ executions: executions.toReversed() }))).toBe(want);
	});

	it('lasts a window from the last failure, and names it', () => {
		const executions = failed([40, 30, 20]);
		expect(blockOf({ executions })).toEqual({
			reason: 'ConsecutiveFailures',
			message: `3 runs of restart on ${TARGET} failed in a row, the last one is we-2`,
			until: at(NOW + 40 * MINUTE),
			holder: { name: 'we-2', uid: 'uid-of-we-2' },
		});
	});
});

describe('DuplicateInProgress', () => {
	const scale = aWorkflow('scale', { match: { signalNames: ['Small'] } });
	const small = { ...older, signal: { ...older.signal, name: 'Small' } };
	const running = anExecution({ requestUid: older.uid });
	const executing = { ...older, phase: 'Executing', executionRef: running } as const;
	const younger = aRequest({ ...executing, name: 'rr-2', uid: 'uid-2', createdAt: at(NOW) });
	const sameSecond = aRequest({ name: 'rr-same', uid: 'uid-00', createdAt: request.createdAt });
	it.each<{ why: string; others: Remediation[]; executions?: Execution[]; want: string | undefined }>([
		{ why: 'an older one', others: [older], want: 'rr-older' },
		{
			why: 'the oldest of several',
			others: [aRequest({ name: 'b', uid: 'uid-b', createdAt: at(NOW - 90_000) }), older],
			want: 'rr-older',
		},
		{ why: 'one of the same second with a smaller uid', others: [sameSecond], want: 'rr-same' },
		{ why: 'a blocked one', others: [{ ...older, phase: 'Blocked' as const }], want: 'rr-older' },
		{ why: 'one for which the same runs', others: [executing], executions: [running], want: 'rr-older' },
		{ why: 'a younger one for which the same runs', others: [younger], executions: [running], want: 'rr-2' },
		{
			why: 'one for which an earlier generation runs',
			others: [executing],
			executions: [{ ...running, run: 'of an earlier generation' }],
			want: undefined,
		},
		{ why: 'one for which something unknown runs', others: [executing], want: undefined },
		{ why: 'a younger one', others: [aRequest({ uid: 'uid-2' })], want: undefined },
		{ why: 'one with another workflow', others: [small], want: undefined },
		{ why: 'one that is finished', others: [{ ...older, phase: 'Failed' as const }], want: undefined },
		{ why: 'one that is being deleted', others: [{ ...older, deleting: true }], want: undefined },
	])('$why: $want', ({ others, executions = [], want }) => {
		const decision = routed({ requests: [request, ...others], executions, workflows: [aWorkflow(), scale] });
		expect(decision.do === 'block' ? decision.block.duplicateOf?.name : undefined).toBe(want);
	});

	it.each([
		{ why: 'lacks a variable that this one has', ours: { release: '1' }, theirs: {}, want: undefined },
		{ why: 'has the same', ours: { release: '1' }, theirs: { release: '1' }, want: 'rr-older' },
		{ why: 'has another', ours: { release: '1' }, theirs: { release: '2' }, want: undefined },
		{ why: 'lacks it, and so does this one', ours: {}, theirs: {}, want: 'rr-older' },
	])('of an older request that $why: $want', ({ ours, theirs, want }) => {
		const labelled = (one: Remediation, labels: Record<string, string>) => ({
			...one,
			signal: { ...one.signal, labels },
		});
		const mine = labelled(request, ours);
		const workflows = [aWorkflow('restart', { parameters: { R: '{{ labels.release }}' } })];
		const decision = route(mine, aView({ requests: [mine, labelled(older, theirs)], workflows }), CONFIG);
		expect(decision.do === 'block' ? decision.block.duplicateOf?.name : undefined).toBe(want);
	});

	it.each([
		{ approved: ['uid-1'], want: undefined },
		{ approved: [older.uid], want: 'rr-older' },
		{ approved: ['uid-1', older.uid], want: 'rr-older' },
		{ approved: [], want: 'rr-older' },
	])('of an older request in mode Approval, when $approved are approved: $want', ({ approved, want }) => {
		const workflows = [aWorkflow('restart', { mode: 'Approval' })];
		const digest = digestAskedBy(request, aView({ workflows }));
		const decision = routed({
			requests: [request, older],
			workflows,
			approvalsOf: (uid) => (approved.includes(uid) ? [anApproval({ requestUid: uid, digest })] : []),
		});
		expect(decision.do === 'block' ? decision.block.duplicateOf?.name : undefined).toBe(want);
	});

	it('never makes two requests wait for each other', () => {
		const requests = ['c', 'a', 'b', 'd'].map((uid) => aRequest({ name: `rr-${uid}`, uid }));
		const waitsFor = requests.map((one) => {
			const decision = route(one, aView({ requests }), CONFIG);
			return decision.do === 'block' ? decision.block.duplicateOf?.uid : decision.do;
		});
		expect(waitsFor).toEqual(['a', 'execute', 'a', 'a']);
	});
});

describe('ResourceBusy', () => {
	it.each([
		{ why: 'one that has not begun', holder: anExecution() },
		{ why: 'one that runs', holder: anExecution({ phase: 'Running', hasRun: true }) },
		{ why: 'one that ended and is being deleted', holder: anEnd('Completed', 90 * MINUTE, { deleting: true }) },
	])('$why holds the target', ({ holder }) => {
		expect(blockOf({ executions: [holder] })).toEqual({
			reason: 'ResourceBusy',
			message: `we-0 holds ${TARGET}`,
			holder: { name: 'we-0', uid: 'uid-of-we-0' },
		});
	});

	const skipped = (agoMs: number, chain: number, skip = {}) =>
		anExecution({
			chain,
			requestUid: request.uid,
			phase: 'Skipped',
			completionTime: at(NOW - agoMs),
			skip: { reason: 'ResourceBusy', message: 'held', heldBy: 'we-x', ...skip },
		});
	it('lasts a while after the executor skipped its execution, longer each time, and ends', () => {
		expect(blockOf({ executions: [skipped(1000, 0)] })).toMatchObject({
			reason: 'ResourceBusy',
			message: 'the executor skipped we-0: held',
			holder: { name: 'we-x' },
		});
		expect(resultOf(routed({ executions: [skipped(3000, 0)] }))).toBe('execute');
		expect(resultOf(routed({ executions: [skipped(9000, 0), skipped(3000, 1)] }))).toBe('ResourceBusy');
		expect(resultOf(routed({ executions: [skipped(9000, 0), skipped(5000, 1)] }))).toBe('execute');
	});

	it('has the reason for which the executor skipped it', () => {
		expect(blockOf({ executions: [skipped(1000, 0, { reason: 'RecentlyRemediated' })] }).reason).toBe(
			'RecentlyRemediated',
		);
	});

	it('does not follow from a skipped execution of another request', () => {
		expect(resultOf(routed({ executions: [{ ...skipped(1000, 0), requestUid: 'other' }] }))).toBe('execute');
	});

	it.each([
		{ why: 'an empty name of a holder', heldBy: '', want: undefined },
		{ why: 'a name that is longer than a request can hold', heldBy: 'x'.repeat(317), want: 'x'.repeat(253) },
	])('$why does not make the block invalid', ({ heldBy, want }) => {
		expect(blockOf({ executions: [skipped(1000, 0, { heldBy })] }).holder?.name).toBe(want);
	});
});

describe('RecentlyRemediated', () => {
	const dryRun = aWorkflow('restart', { mode: 'DryRun' });
	const reported = aRequest({ uid: 'uid-d', phase: 'Completed', outcome: 'DryRun', completedAt: at(NOW - 2 * MINUTE) });
	it.each<{ why: string; view: Partial<TargetView>; want: string | undefined }>([
		{ why: 'the default', view: { executions: [anEnd('Completed', 2 * MINUTE)] }, want: at(NOW + 3 * MINUTE) },
		{
			why: 'its own',
			view: { executions: [anEnd('Completed', 2 * MINUTE, { cooldownMs: 10 * MINUTE })] },
			want: at(NOW + 8 * MINUTE),
		},
		{ why: 'none', view: { executions: [anEnd('Completed', 2 * MINUTE, { cooldownMs: 0 })] }, want: undefined },
		{ why: 'one that is over', view: { executions: [anEnd('Completed', 5 * MINUTE)] }, want: undefined },
		{ why: 'a failure', view: { executions: [anEnd('Failed', 2 * MINUTE)] }, want: at(NOW + 3 * MINUTE) },
		{
			why: 'the newest',
			view: { executions: [anEnd('Completed', 4 * MINUTE), anEnd('Completed', 3 * MINUTE, { chain: 1 })] },
			want: at(NOW + 2 * MINUTE),
		},
		{
			why: 'nothing that never ran',
			view: { executions: [anExecution({ phase: 'Skipped', completionTime: at(NOW) })] },
			want: undefined,
		},
		{
			why: 'a dry run, for a dry run',
			view: { requests: [reported], workflows: [dryRun] },
			want: at(NOW + 3 * MINUTE),
		},
		{
			why: "a dry run, by the workflow's own",
			view: { requests: [reported], workflows: [aWorkflow('restart', { mode: 'DryRun', cooldown: '10m' })] },
			want: at(NOW + 8 * MINUTE),
		},
		{ why: 'a dry run, for nothing real', view: { requests: [reported] }, want: undefined },
	])('counts $why', ({ view, want }) => {
		const decision = routed(view);
		expect(decision.do === 'block' ? decision.block.until : undefined).toBe(want);
		expect(resultOf(decision) === 'RecentlyRemediated').toBe(want !== undefined);
	});
});

describe('RemediatedByAnother', () => {
	it.each([
		{ why: 'the very same run', changes: {}, want: 'RemediatedByAnother' },
		{ why: 'the same workflow with other parameters', changes: { run: 'other' }, want: 'RecentlyRemediated' },
		{ why: 'another workflow', changes: { workflowName: 'scale' }, want: 'RecentlyRemediated' },
	])('$why succeeded while it waited: $want', ({ changes, want }) => {
		expect(resultOf(routed({ executions: [anEnd('Completed', 30_000, changes)] }))).toBe(want);
	});
});

describe('ExponentialBackoff', () => {
	it('does not follow a failure of another workflow: its cooldown does', () => {
		const failure = anEnd('Failed', MINUTE, { workflowName: 'scale' });
		expect(resultOf(routed({ executions: [{ ...failure, cooldownMs: 0 }] }))).toBe('execute');
		expect(resultOf(routed({ executions: [failure] }))).toBe('RecentlyRemediated');
	});

	it.each([
		{ failures: 1, wantMinutes: 10 },
		{ failures: 2, wantMinutes: 20 },
	])('after $failures about $wantMinutes minutes, the same in every replica', ({ failures, wantMinutes }) => {
		const executions = Array.from({ length: failures }, (_, chain) => anEnd('Failed', 0, { chain, cooldownMs: 0 }));
		const { until = '', reason } = blockOf({ executions });
		expect(reason).toBe('ExponentialBackoff');
		const minutes = (Date.parse(until) - NOW) / MINUTE;
		expect(minutes).toBeGreaterThanOrEqual(0.9 * wantMinutes);
		expect(minutes).toBeLessThanOrEqual(1.1 * wantMinutes + 1 / 60);
		expect(blockOf({ executions }).until).toBe(until);
	});

	it('is never longer than the window, however many runs failed', () => {
		const executions = Array.from({ length: 12 }, (_, chain) => anEnd('Failed', (12 - chain) * 61 * MINUTE, { chain }));
		expect(resultOf(routed({ executions, now: NOW + 6 * MINUTE }))).toBe('execute');
	});
});

describe('the end of a block', () => {
	it('is rounded up to whole seconds', () => {
		const completionTime = new Date(NOW - 2 * MINUTE + 1).toISOString();
		const executions = [anEnd('Completed', 0, { completionTime })];
		expect(blockOf({ executions }).until).toBe(at(NOW + 3 * MINUTE + 1000));
	});
});

describe('the mode', () => {
	const approval = aWorkflow('restart', { mode: 'Approval' });
	const digest = digestAskedBy(request, aView({ workflows: [approval] }));
	it.each<{ why: string; view: Partial<TargetView>; want: string }>([
		{
			why: 'Approval, not approved',
			view: { workflows: [approval] },
			want: 'AwaitingApproval',
		},
		{
			why: 'Approval, approved',
			view: {
				workflows: [approval],
				approvalsOf: (uid) => (uid === 'uid-1' ? [anApproval({ digest })] : []),
			},
			want: 'execute',
		},
		{
			why: 'Approval, another request approved',
			view: {
				workflows: [approval],
				approvalsOf: (uid) => (uid === 'uid-2' ? [anApproval({ digest, requestUid: uid })] : []),
			},
			want: 'AwaitingApproval',
		},
		{
			why: 'Approval, approved without a digest',
			view: { workflows: [approval], approvalsOf: () => [anApproval()] },
			want: 'AwaitingApproval',
		},
		{
			why: 'Approval, approved at an earlier generation',
			view: { workflows: [{ ...approval, generation: 2 }], approvalsOf: () => [anApproval({ digest })] },
			want: 'AwaitingApproval',
		},
		{
			why: 'Approval, too long to be shown',
			view: { workflows: [aWorkflow('restart', { mode: 'Approval', parameters: { P: 'x'.repeat(4000) } })] },
			want: 'ConfigurationError',
		},
	])('$why: $want', ({ view, want }) => {
		expect(resultOf(routed(view))).toBe(want);
	});

	it('DryRun: the message says what would run with which parameters', () => {
		const workflow = aWorkflow('restart', { mode: 'DryRun', parameters: { A: '{{ target.name }}', B: '2' } });
		expect(routed({ workflows: [workflow] })).toEqual({
			do: 'finish',
			phase: 'Completed',
			outcome: 'DryRun',
			message: `restart would run on ${TARGET} with A=cart, B=2`,
		});
	});

	it('Automatic: it is executed with its workflow and its parameters', () => {
		const workflow = aWorkflow('restart', { parameters: { A: '{{ target.name }}' } });
		expect(routed({ workflows: [workflow] })).toEqual({ do: 'execute', workflow, parameters: { A: 'cart' } });
	});
});
