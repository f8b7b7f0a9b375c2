import { TARGET_LABELS } from '@kubernaut/testkit/target-labels';
import { CONDITION, type CustomResource, hex, type KindCases } from './case.ts';

const PIPELINE_SPEC = {
	displayName: 'Restart',
	description: 'Restarts the deployment.',
	params: [{ name: 'target', type: 'string', default: { deep: [1, { deeper: true }] } }],
	workspaces: [{ name: 'scratch' }],
	tasks: [{ name: 'restart', taskSpec: { steps: [{ name: 'kubectl', image: 'kubectl', command: ['kubectl'] }] } }],
	finally: [{ name: 'report', taskRef: { name: 'report' } }],
	results: [{ name: 'restarted', value: '$(tasks.restart.results.count)' }],
};

function valid(): CustomResource {
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationWorkflow',
		metadata: { name: `workflow-${hex(8)}` },
		spec: { match: { signalNames: ['KubePodCrashLooping'] }, pipelineRef: { name: 'restart-deployment' } },
	};
}

export const REMEDIATION_WORKFLOW_CASES: KindCases = {
	kind: 'RemediationWorkflow',
	valid,
	full: {
		spec: {
			match: {
				signalNames: ['KubePodCrashLooping', '^Kube(Pod|Deployment).*$'],
				targetKinds: ['Deployment', 'StatefulSet'],
				severities: ['critical'],
				labels: { team: 'payments' },
			},
			priority: 100,
			pipelineRef: { name: 'restart-deployment', bundle: 'registry.example.com/pipelines/restart:v1' },
			parameters: { TARGET: '{{ target.name }}', TEAM: 'team={{ labels.team }}' },
			parameterPatterns: { TEAM: '^team=[a-z]{1,100}$' },
			timeout: '1h30m',
			cooldown: '0s',
			serviceAccountName: 'restarter',
			mode: 'Approval',
		},
		status: { conditions: [CONDITION] },
	},
	instead: { pipelineRef: null, pipelineSpec: PIPELINE_SPEC },
	create: [
		{
			title: 'the defaults',
			change: {},
			wantStored: { spec: { mode: 'Automatic', priority: 0 } },
		},
		{
			title: 'an embedded pipeline is stored as it is, however deep',
			change: { spec: { pipelineRef: null, pipelineSpec: PIPELINE_SPEC } },
			wantStored: { spec: { pipelineSpec: PIPELINE_SPEC } },
		},
		{ title: 'any signal, said in so many words', change: { spec: { match: { signalNames: ['^.*$'] } } } },
		{
			title: 'two pipelines',
			change: { spec: { pipelineSpec: PIPELINE_SPEC } },
			wantRefused: /exactly one of pipelineRef and pipelineSpec must be set/,
		},
		{
			title: 'no pipeline',
			change: { spec: { pipelineRef: null } },
			wantRefused: /exactly one of pipelineRef and pipelineSpec must be set/,
		},
		{
			title: 'an embedded pipeline without tasks',
			change: { spec: { pipelineRef: null, pipelineSpec: { tasks: null, description: 'nothing' } } },
			wantRefused: /spec\.pipelineSpec\.tasks: Required value/,
		},
		{
			title: 'a bundle without the name of the pipeline in it',
			change: { spec: { pipelineRef: { name: null, bundle: 'registry.example.com/x' } } },
			wantRefused: /spec\.pipelineRef\.name: Required value/,
		},
		{
			title: 'no match',
			change: { spec: { match: null } },
			wantRefused: /spec\.match: Required value/,
		},
		{
			title: 'a match without criteria, which would fit every signal',
			change: { spec: { match: { signalNames: null } } },
			wantRefused: /match needs at least one of signalNames, targetKinds, severities and labels/,
		},
		{
			title: 'a criterion with nothing in it',
			change: { spec: { match: { signalNames: [] } } },
			wantRefused: /spec\.match\.signalNames in body should have at least 1 items/,
		},
		{
			title: 'a name twice',
			change: { spec: { match: { signalNames: ['A', 'A'] } } },
			wantRefused: /spec\.match\.signalNames\[1\]: Duplicate value: "A"/,
		},
		{
			title: 'an expression that is anchored at one end',
			change: { spec: { match: { signalNames: ['^Kube.*'] } } },
			wantRefused: /spec\.match\.signalNames\[0\]: .*must be anchored at both ends, \^ first and \$ last/,
		},
		{
			title: 'an expression that does not compile',
			change: { spec: { match: { signalNames: ['^Kube(.*$'] } } },
			wantRefused: /spec\.match\.signalNames\[0\]: .*missing closing \).*not a valid regular expression/,
		},
		{
			title: 'an expression with a look-ahead',
			change: { spec: { match: { signalNames: ['^(?!Kube).*$'] } } },
			wantRefused: /not a valid regular expression \(RE2 syntax, no look-around and no back-references\)/,
		},
		{
			title: 'counts up to 100, and a plain name that has braces',
			change: { spec: { match: { signalNames: ['^a{100}b{1,100}c{0100,}$', 'a{101}'] } } },
		},
		...['^a{101}$', '^a{101,}$', '^a{1,101}$', '^a{,200}$', '^a{0999}$', '^(a{5}){1000}$'].map((expression) => ({
			title: `an expression that counts more than 100 repetitions: ${expression}`,
			change: { spec: { match: { signalNames: [expression] } } },
			wantRefused: /spec\.match\.signalNames\[0\]: .*may count up to 100 repetitions, as in \{1,100\}; write \* or \+/,
		})),
		{
			title: 'labels that only look like those of the target',
			change: { spec: { parameters: { A: '{{ labels.pods }}', B: '{{ annotations.pod }}', C: 'labels.pod' } } },
		},
		...Object.keys(TARGET_LABELS).flatMap((label) =>
			[`x {{ labels.${label} }} y`, `{{labels.exported_${label}}}`].map((template) => ({
				title: `a label that the target is read from: ${template}`,
				change: { spec: { parameters: { P: template } } },
				wantRefused: /spec\.parameters\[P\]: .*write \{\{ target\.name \}\}, .* instead of the label/,
			})),
		),
		{
			title: 'a pattern for a parameter that is not there',
			change: { spec: { parameters: { A: 'a' }, parameterPatterns: { B: '^b$' } } },
			wantRefused: /spec\.parameterPatterns: .*parameterPatterns has a name that is not in parameters/,
		},
		{
			title: 'patterns without parameters',
			change: { spec: { parameterPatterns: { B: '^b$' } } },
			wantRefused: /parameterPatterns has a name that is not in parameters/,
		},
		{
			title: 'a pattern that is anchored at one end',
			change: { spec: { parameters: { A: 'a' }, parameterPatterns: { A: '^a' } } },
			wantRefused: /spec\.parameterPatterns\[A\]: .*must be anchored at both ends/,
		},
		{
			title: 'a pattern that does not compile',
			change: { spec: { parameters: { A: 'a' }, parameterPatterns: { A: '^(a$' } } },
			wantRefused: /spec\.parameterPatterns\[A\]: .*not a valid regular expression/,
		},
		{
			title: 'a pattern that counts more than 100 repetitions',
			change: { spec: { parameters: { A: 'a' }, parameterPatterns: { A: '^a{0,255}$' } } },
			wantRefused: /spec\.parameterPatterns\[A\]: .*may count up to 100 repetitions/,
		},
		{
			title: 'a target kind that the API server does not spell so',
			change: { spec: { match: { targetKinds: ['deployments.apps'] } } },
			wantRefused: /spec\.match\.targetKinds\[0\]: .*write the kind as the API server spells it/,
		},
		{
			title: 'a mode that does not exist',
			change: { spec: { mode: 'Manual' } },
			wantRefused: /spec\.mode: Unsupported value: "Manual": supported values: "Automatic", "DryRun", "Approval"/,
		},
		{
			title: 'a time-out without a unit',
			change: { spec: { timeout: '30' } },
			wantRefused: /spec\.timeout: .*write a duration like 30m, 1h30m or 500ms/,
		},
		{
			title: 'a negative time-out',
			change: { spec: { timeout: '-5m' } },
			wantRefused: /spec\.timeout: .*write a duration like 30m, 1h30m or 500ms/,
		},
		{
			title: 'a time-out of nothing',
			change: { spec: { timeout: '0s' } },
			wantRefused: /spec\.timeout: .*timeout must be longer than 0s/,
		},
		{
			title: 'a cooldown in days, which is no unit',
			change: { spec: { cooldown: '1d' } },
			wantRefused: /spec\.cooldown: .*write a duration like 30m, 1h30m or 500ms/,
		},
		{
			title: 'a priority above the highest',
			change: { spec: { priority: 1001 } },
			wantRefused: /spec\.priority in body should be less than or equal to 1000/,
		},
		{
			title: 'a parameter that is not a string',
			change: { spec: { parameters: { REPLICAS: 3 } } },
			wantRefused: /spec\.parameters\.REPLICAS in body must be of type string: "integer"/,
		},
	],
	update: [
		{ title: 'another priority and another pipeline', patch: { spec: { priority: 5, pipelineRef: { name: 'x' } } } },
		{
			title: 'a second pipeline',
			patch: { spec: { pipelineSpec: PIPELINE_SPEC } },
			wantRefused: /exactly one of pipelineRef and pipelineSpec must be set/,
		},
	],
	status: [{ title: 'a condition', status: { conditions: [CONDITION] } }],
};
