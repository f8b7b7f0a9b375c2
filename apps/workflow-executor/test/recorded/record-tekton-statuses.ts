// Records how Tekton ends runs that no pod is ever made for, among them those that its webhook keeps away from its controller:
// an older Pipeline may be stored that a newer Tekton rejects. Writes tekton-statuses.json, beside this file.
// Run it after a new version of Tekton: `node test/recorded/record-tekton-statuses.ts`
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeApi, type KubeObject, startControlPlane } from '@kubernaut/control-plane';

export type RecordedRun = { readonly run: KubeObject; readonly taskRuns: readonly KubeObject[] };
export type Recording = { readonly versions: string; readonly runs: Readonly<Record<string, RecordedRun>> };

const NAMESPACE = 'recorded';
const WAIT_MS = 30_000;
const POLL_MS = 100;
const STEP = { name: 'repair', image: 'played', command: ['true'] };
const ALONE = { name: 'only', taskSpec: { steps: [STEP] } };
const task = (name: string, spec: object): KubeObject => ({
	apiVersion: 'tekton.dev/v1',
	kind: 'Task',
	metadata: { name },
	spec: { steps: [STEP], ...spec },
});

/** What the Pipeline is, what else is there, and what the run says. */
const SCENARIOS: Readonly<Record<string, { pipeline: object; tasks?: readonly KubeObject[]; run?: object }>> = {
	'tasks that wait for each other': {
		pipeline: {
			tasks: [
				{ ...ALONE, name: 'one', runAfter: ['two'] },
				{ ...ALONE, name: 'two', runAfter: ['one'] },
			],
		},
	},
	'an object parameter without a key': {
		pipeline: {
			params: [{ name: 'image', type: 'object', properties: { url: { type: 'string' }, tag: { type: 'string' } } }],
			tasks: [ALONE],
		},
		run: { params: [{ name: 'image', value: { url: 'here' } }] },
	},
	'an index past the end of an array': {
		pipeline: {
			params: [{ name: 'list', type: 'array' }],
			tasks: [
				{
					name: 'only',
					params: [{ name: 'x', value: '$(params.list[5])' }],
					taskSpec: { params: [{ name: 'x' }], steps: [STEP] },
				},
			],
		},
		run: { params: [{ name: 'list', value: ['a'] }] },
	},
	'settings for a task that is not there': {
		pipeline: { tasks: [ALONE] },
		run: { taskRunSpecs: [{ pipelineTaskName: 'nowhere', serviceAccountName: 'default' }] },
	},
	'a result that the task does not have': {
		tasks: [task('without-results', {}), task('with-param', { params: [{ name: 'x' }] })],
		pipeline: {
			tasks: [
				{ name: 'one', taskRef: { name: 'without-results' } },
				{
					name: 'two',
					taskRef: { name: 'with-param' },
					params: [{ name: 'x', value: '$(tasks.one.results.nowhere)' }],
				},
			],
		},
	},
	'an optional workspace that a task requires': {
		tasks: [task('with-workspace', { workspaces: [{ name: 'cache' }] })],
		pipeline: {
			workspaces: [{ name: 'shared', optional: true }],
			tasks: [
				{ name: 'only', taskRef: { name: 'with-workspace' }, workspaces: [{ name: 'cache', workspace: 'shared' }] },
			],
		},
	},
	'a parameter that the task requires': {
		tasks: [task('requires-param', { params: [{ name: 'x' }] })],
		pipeline: { tasks: [{ name: 'only', taskRef: { name: 'requires-param' } }] },
	},
	'a task that is not valid': {
		tasks: [
			task('not-valid', {
				steps: [
					{ ...STEP, name: 'same' },
					{ ...STEP, name: 'same' },
				],
			}),
		],
		pipeline: { tasks: [{ name: 'only', taskRef: { name: 'not-valid' } }] },
	},
	'a pod that cannot exist': {
		tasks: [task('no-pod', { steps: [{ ...STEP, volumeMounts: [{ name: 'nowhere', mountPath: '/x' }] }] })],
		pipeline: { tasks: [{ name: 'only', taskRef: { name: 'no-pod' } }] },
	},
};

async function record(): Promise<Recording> {
	const controlPlane = await startControlPlane({ tekton: true });
	const api = KubeApi.fromFile(controlPlane.kubeconfigPath);
	try {
		await removeWebhooks(api);
		const runs: Record<string, RecordedRun> = {};
		for (const [i, name] of Object.keys(SCENARIOS).entries()) {
			runs[name] = await recordOne(api, name, `${NAMESPACE}-${i}`);
			const reasons = [runs[name].run, ...runs[name].taskRuns].map(({ status }) =>
				String(status?.conditions?.[0]?.reason),
			);
			console.log(`${name}: ${reasons.join(', ')}`);
		}
		return { versions: controlPlane.description.replace(/ at .*/, ''), runs };
	} finally {
		await api.close();
		await controlPlane.stop();
	}
}

/** What they reject reaches the controller then, and nothing is defaulted. */
async function removeWebhooks(api: KubeApi): Promise<void> {
	for (const kind of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']) {
		const path = `/apis/admissionregistration.k8s.io/v1/${kind}`;
		for (const { metadata } of (await api.call('GET', path))['items'])
			await api.call('DELETE', `${path}/${metadata.name}`);
	}
}

async function recordOne(api: KubeApi, name: string, namespace: string): Promise<RecordedRun> {
	const { pipeline, tasks = [], run = {} } = SCENARIOS[name]!;
	const paths = (kind: string) => `/apis/tekton.dev/v1/namespaces/${namespace}/${kind}`;
	const core = `/api/v1/namespaces/${namespace}`;
	await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
	await until(async () => (await api.send('GET', `${core}/serviceaccounts/default`)).status === 200);
	for (const body of tasks) await api.call('POST', paths('tasks'), { body });
	const made = { apiVersion: 'tekton.dev/v1', metadata: { name: 'recorded' } };
	await api.call('POST', paths('pipelines'), { body: { ...made, kind: 'Pipeline', spec: pipeline } });
	const spec = {
		pipelineRef: { name: 'recorded' },
		timeouts: { pipeline: '1m' },
		taskRunTemplate: { serviceAccountName: 'default' },
		...run,
	};
	await api.call('POST', paths('pipelineruns'), { body: { ...made, kind: 'PipelineRun', spec } });
	const read = () => api.call('GET', paths('pipelineruns/recorded'));
	await until(async () => ['True', 'False'].includes((await read())['status']?.conditions?.[0]?.status));
	const { items } = (await api.call('GET', paths('taskruns'))) as unknown as { items: KubeObject[] };
	return { run: essence(await read()), taskRuns: items.map(essence) };
}

/** What names this very run, and what Tekton copies from the Pipeline, says nothing about its end. */
function essence({ metadata, spec, status }: KubeObject): KubeObject {
	const { name, uid, resourceVersion, creationTimestamp, labels } = metadata;
	const { provenance: _, pipelineSpec: __, taskSpec: ___, ...rest } = status ?? {};
	return {
		metadata: { name, uid, resourceVersion, creationTimestamp, labels },
		spec: spec?.status === undefined ? {} : { status: spec.status },
		status: rest,
	};
}

async function until(holds: () => Promise<boolean>): Promise<void> {
	const givenUpAt = performance.now() + WAIT_MS;
	while (!(await holds())) {
		if (performance.now() > givenUpAt) return; // what it is then is recorded as well
		await delay(POLL_MS);
	}
}

const recording = await record();
writeFileSync(join(import.meta.dirname, 'tekton-statuses.json'), `${JSON.stringify(recording, undefined, '\t')}\n`);
