// The floor: a watch event, and then the bare create of the PipelineRun. It decides nothing, checks nothing, claims nothing.
import { createHash } from 'node:crypto';
import { Pool } from 'undici';
import type { SeenObject } from '../orchestrator/object-watch.ts';
import { watchAdded } from '../orchestrator/object-watch.ts';
import { executionsPath, runsPath } from './executions.ts';
import type { Executors } from './executors.ts';

export async function startBareExecutor({
	identity,
	namespace,
	workflows,
}: Executors): Promise<{ stop(): Promise<void> }> {
	const pool = new Pool(identity.server, { connections: 4, allowH2: false, connect: { ca: identity.ca } });
	const headers = {
		authorization: `Bearer ${identity.token}`,
		accept: 'application/json',
		'content-type': 'application/json',
		'user-agent': 'bench-floor',
	};
	async function act(execution: SeenObject): Promise<void> {
		const body = JSON.stringify(runFor(execution));
		const answer = await pool.request({ method: 'POST', path: runsPath(workflows), headers, body });
		const text = await answer.body.text();
		if (answer.statusCode !== 201) throw new Error(`the floor's create: ${answer.statusCode} ${text}`);
	}
	const underWay = new Set<Promise<void>>();
	const watch = await watchAdded(identity, executionsPath(namespace), (execution) => {
		const acting = act(execution).finally(() => underWay.delete(acting));
		underWay.add(acting);
	});
	return {
		async stop() {
			await watch.stop();
			await Promise.all(underWay);
			await pool.destroy();
		},
	};
}

/** As large as the one that the executor makes. */
function runFor({ metadata, spec }: SeenObject) {
	const { targetResource: target } = spec as { targetResource: string };
	const [namespace, kind, name] = target.split('/');
	const hash = createHash('sha256').update(target).digest('hex');
	const params = {
		TARGET: target,
		TARGET_RESOURCE: target,
		TARGET_NAMESPACE: namespace,
		TARGET_KIND: kind,
		TARGET_NAME: name,
	};
	return {
		apiVersion: 'tekton.dev/v1',
		kind: 'PipelineRun',
		metadata: {
			name: `wfe-${hash.slice(0, 16)}`,
			labels: { 'kubernaut.ai/workflow-execution': metadata.name, 'app.kubernetes.io/managed-by': 'bench-floor' },
			annotations: { 'kubernaut.ai/lock-key': target, 'kubernaut.ai/workflow-execution-uid': metadata.uid },
			finalizers: ['kubernaut.ai/pipelinerun-lock'],
		},
		spec: {
			status: 'PipelineRunPending',
			pipelineRef: { name: 'restart' },
			params: Object.entries(params).map(([param, value]) => ({ name: param, value })),
			timeouts: { pipeline: '1800s' },
			taskRunTemplate: { serviceAccountName: 'kubernaut-workflow' },
		},
	};
}
