// The floor: a watch event, and then the bare writes that any orchestrator of this design must make before there is an
// execution (Lease create, WorkflowExecution create). It decides nothing, checks nothing and cleans up behind the clock.
import { createHash } from 'node:crypto';
import { Pool } from 'undici';
import type { Identity } from '../gateway/identity.ts';
import { requestsPath } from '../signal-request.ts';
import { watchAdded } from './object-watch.ts';
import { executionsPath, type SeenObject } from './stopwatch.ts';

export async function startBareOrchestrator(identity: Identity, namespace: string): Promise<{ stop(): Promise<void> }> {
	const pool = new Pool(identity.server, { connections: 4, allowH2: false, connect: { ca: identity.ca } });
	const headers = {
		authorization: `Bearer ${identity.token}`,
		accept: 'application/json',
		'content-type': 'application/json',
		'user-agent': 'bench-floor',
	};
	const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
	async function ask(method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<void> {
		const sent = body === undefined ? {} : { body: JSON.stringify(body) };
		const answer = await pool.request({ method, path, headers, ...sent });
		const text = await answer.body.text();
		if (answer.statusCode >= 300) throw new Error(`the floor's ${method} ${path}: ${answer.statusCode} ${text}`);
	}
	async function act(request: SeenObject): Promise<void> {
		const {
			kind,
			name,
			namespace: of,
		} = (request['spec'] as { targetResource: Record<string, string> }).targetResource;
		const target = `${of}/${kind}/${name}`;
		const hash = createHash('sha256').update(target).digest('hex');
		const lease = `ro-lock-${hash.slice(0, 32)}`;
		await ask('POST', leases, leaseBody(lease, namespace, target));
		await ask(
			'POST',
			executionsPath(namespace),
			executionBody(`we-${hash.slice(0, 12)}-${hash.slice(0, 16)}`, request, target),
		);
		await ask('DELETE', `${leases}/${lease}`);
	}
	const underWay = new Set<Promise<void>>();
	const watch = await watchAdded(identity, requestsPath(namespace), (request) => {
		const acting = act(request).finally(() => underWay.delete(acting));
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

function leaseBody(name: string, namespace: string, key: string) {
	const now = new Date().toISOString().replace('Z', '000Z');
	return {
		apiVersion: 'coordination.k8s.io/v1',
		kind: 'Lease',
		metadata: {
			name,
			namespace,
			labels: { 'kubernaut.ai/lock': 'floor' },
			annotations: { 'kubernaut.ai/lock-key': key },
		},
		spec: { holderIdentity: 'floor', leaseDurationSeconds: 30, leaseTransitions: 0, acquireTime: now, renewTime: now },
	};
}

function executionBody(name: string, { metadata }: SeenObject, target: string) {
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'WorkflowExecution',
		metadata: { name, annotations: { 'kubernaut.ai/fencing-token': '1' } },
		spec: {
			remediationRequestRef: { name: metadata.name, uid: metadata.uid },
			workflowRef: { name: 'restart', uid: 'floor', generation: 1 },
			pipelineRef: { name: 'restart' },
			targetResource: target,
			parameters: { TARGET: target },
			timeout: '30m',
			cooldown: '5m',
			chain: 0,
		},
	};
}
