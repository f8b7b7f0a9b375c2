// Which workflow answers a signal, with which parameters, and what happens when none does or the parameters cannot be
// filled. Every scenario has a target and signals of its own, and they run concurrently.
import { beforeAll, describe, expect, it } from 'vitest';
import type { WorkflowOptions } from './harness/objects.ts';
import { openWorld, type World } from './harness/world.ts';

const RELEASE = { RELEASE: 'v{{ labels.release }}' };
const WORKFLOWS: Readonly<Record<string, WorkflowOptions>> = {
	'a-low': { signalNames: ['Prio'], priority: 1 },
	'z-high': { signalNames: ['Prio', '^Pri.*$'], priority: 2 },
	'b-tie': { signalNames: ['Tie'], priority: 7 },
	'a-tie': { signalNames: ['Tie'], priority: 7 },
	expression: { signalNames: ['^(?i)disk(Full|Slow)[[:digit:]]?$'] },
	severe: { signalNames: ['Sev'], match: { severities: ['critical', 'page'] }, priority: 5 },
	mild: { signalNames: ['Sev'] },
	nodes: { signalNames: ['Kind'], match: { targetKinds: ['Node'] }, priority: 5 },
	anything: { signalNames: ['Kind'] },
	gold: { signalNames: ['Label'], match: { labels: { tier: 'gold', zone: '' } }, priority: 5 },
	plain: { signalNames: ['Label'] },
	// The engine of the API server knows the long names of classes.
	letters: { signalNames: ['^Letters\\p{Letter}+$', 'Letters'] },
	changing: { signalNames: ['Before'] },
	filled: {
		signalNames: ['Filled'],
		parameters: {
			WHO: '{{ target.namespace }}/{{target.name}}',
			ALL: '{{ target }}',
			TEAM: 'team={{ labels.team }}',
			NOTE: '{{ annotations.kubernaut.ai/note }}',
			FIXED: 'as\nit is',
		},
		parameterPatterns: { TEAM: '^team=.*$' },
	},
	fed: { signalNames: ['Fed'], parameters: { SAFE: '{{ target.name }}', FED: '{{ labels.fed }}' } },
	'release-missing': { signalNames: ['Releasemissing'], parameters: RELEASE },
	'release-empty': { signalNames: ['Releaseempty'], parameters: RELEASE },
	'release-blank': { signalNames: ['Releaseblank'], parameters: RELEASE },
	long: { signalNames: ['Long'], parameters: { LONG: `{{ labels.${'x'.repeat(3000)} }}` } },
};

let world: World;
beforeAll(async () => {
	world = await openWorld('workflows', 2, {}, (prepared) =>
		Promise.all(Object.entries(WORKFLOWS).map(([name, workflow]) => prepared.createWorkflow(name, workflow))),
	);
});

describe.concurrent('the choice of a workflow', () => {
	it.each([
		{ why: 'the higher priority', want: 'z-high', request: { signalName: 'Prio' } },
		{ why: 'the first by name of equal priorities', want: 'a-tie', request: { signalName: 'Tie' } },
		{ why: 'an expression for the whole name', want: 'expression', request: { signalName: 'DISKSLOW7' } },
		{ why: 'the severity', want: 'severe', request: { signalName: 'Sev', severity: 'page' } },
		{ why: 'another severity', want: 'mild', request: { signalName: 'Sev', severity: 'info' } },
		{ why: 'the kind', want: 'nodes', request: { signalName: 'Kind', target: 'Node/worker-1' } },
		{ why: 'another kind', want: 'anything', request: { signalName: 'Kind' } },
		{ why: 'all labels', want: 'gold', request: { signalName: 'Label', labels: { tier: 'gold', zone: '', x: 'y' } } },
		{ why: 'a label that is missing', want: 'plain', request: { signalName: 'Label', labels: { tier: 'gold' } } },
	])('goes by $why: $want', async ({ want, request }) => {
		const target = `choice/Deployment/${want}`;
		const execution = await world.untilExecuting(await world.createRequest({ target, ...request }));
		expect(execution.spec.workflowRef).toMatchObject({ name: want, generation: 1 });
		expect(execution.spec.targetResource).toBe('target' in request ? request.target : target);
	});

	it('does not match an expression with a part of the name', async () => {
		const request = await world.createRequest({ signalName: 'DiskFullNow', target: 'choice/Deployment/part' });
		const { status } = await world.until(request.metadata.name, 'NoWorkflow');
		expect(status.blockMessage).toContain('the signal DiskFullNow (severity critical)');
	});
});

describe.concurrent('NoWorkflow', () => {
	it('names an expression that the API server accepted and that cannot be compiled here; others go on', async () => {
		const request = await world.createRequest({ signalName: 'LettersA', target: 'none/Deployment/letters' });
		const { status } = await world.until(request.metadata.name, 'NoWorkflow');
		expect(status.blockMessage).toMatch(
			/RemediationWorkflow letters is not ready: match\.signalNames: \^Letters.* cannot be compiled here/,
		);
		await world.untilExecuting(await world.createRequest({ signalName: 'Letters', target: 'none/Deployment/exact' }));
	});

	it('is notified once, and ends when a workflow is created', async () => {
		const request = await world.createRequest({ signalName: 'Unmatched', target: 'none/Deployment/created' });
		const { status } = await world.until(request.metadata.name, 'NoWorkflow');
		expect(status.blockMessage).toContain(
			'no RemediationWorkflow matches the signal Unmatched (severity critical) on none/Deployment/created',
		);
		expect(status).not.toHaveProperty('blockedUntil');
		const [notification] = await world.notified(request, 1);
		expect(notification).toMatchObject({ spec: { type: 'Escalation', priority: 'Critical' } });
		await world.createWorkflow('matched', { signalNames: ['Unmatched'] });
		await world.untilExecuting(request);
		expect(await world.notified(request, 1)).toHaveLength(1);
	});

	it('ends when a workflow is changed', async () => {
		const request = await world.createRequest({ signalName: 'After', target: 'none/Deployment/changed' });
		await world.until(request.metadata.name, 'NoWorkflow');
		await world.editWorkflow('changing', { match: { signalNames: ['Before', 'After'] } });
		const execution = await world.untilExecuting(request);
		expect(execution.spec.workflowRef).toMatchObject({ name: 'changing', generation: 2 });
	});
});

describe.concurrent('parameters', () => {
	it('are filled from the signal, and a later edit of the workflow does not change them', async () => {
		const request = await world.createRequest({
			signalName: 'Filled',
			target: 'fill/Deployment/all',
			labels: { team: '{{ target.kind }} $& "x"' },
			annotations: { 'kubernaut.ai/note': 'see/below' },
		});
		const { metadata } = await world.untilExecuting(request);
		await world.editWorkflow('filled', { parameters: { FIXED: 'other' } });
		const execution = await world.findExecution(metadata.name);
		expect(execution?.spec.parameters).toEqual({
			WHO: 'fill/all',
			ALL: 'fill/Deployment/all',
			TEAM: 'team={{ target.kind }} $& "x"',
			NOTE: 'see/below',
			FIXED: 'as\nit is',
		});
	});

	it.each([
		{ why: 'missing', target: 'fill/Deployment/missing', labels: {} },
		{ why: 'empty', target: 'fill/Deployment/empty', labels: { release: '' } },
		{ why: 'blank', target: 'fill/Deployment/blank', labels: { release: ' \t' } },
	])('with a label that is $why are a ConfigurationError, until the workflow is edited', async (scenario) => {
		const { why, target, labels } = scenario;
		const request = await world.createRequest({ signalName: `Release${why}`, target, labels });
		const { status } = await world.until(request.metadata.name, 'ConfigurationError');
		expect(status.blockMessage).toBe(
			`RemediationWorkflow release-${why}, parameter RELEASE: the signal has no labels.release`,
		);
		const [notification] = await world.notified(request, 1);
		expect(notification).toMatchObject({ spec: { type: 'ManualReview', priority: 'High' } });
		expect(notification?.spec.body).toContain(status.blockMessage);
		await world.editWorkflow(`release-${why}`, { parameters: { RELEASE: 'v{{ target.name }}' } });
		const execution = await world.untilExecuting(request);
		expect(execution.spec.parameters).toEqual({ RELEASE: `v${why}` });
	});

	it.each(['; curl x | sh', '$(cat /etc/shadow)', '--all', '*', 'a\nb', '`id`'])(
		'that an alert feeds with %j are a ConfigurationError, and nothing runs',
		async (fed) => {
			const target = `fed/Deployment/${Buffer.from(fed).toString('hex')}`;
			const request = await world.createRequest({ signalName: 'Fed', target, labels: { fed } });
			const { status } = await world.until(request.metadata.name, 'ConfigurationError');
			expect(status.blockMessage).toMatch(/^RemediationWorkflow fed, parameter FED: /);
			expect(await world.executionsOn(target)).toEqual([]);
		},
	);

	it('with a problem that is longer than a status can hold are written once', async () => {
		const request = await world.createRequest({ signalName: 'Long', target: 'fill/Deployment/long' });
		await world.until(request.metadata.name, 'ConfigurationError');
		await world.notified(request, 1);
		expect(await world.isSettled(request.metadata.name)).toBe(true);
	});
});
