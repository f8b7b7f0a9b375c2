// A cluster that is there already, named by its context: the platform is applied to it, and stays.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubeApi, obtainPart } from '@kubernaut/control-plane';
import { LOCAL_BASE_IMAGE } from '@kubernaut/images';
import { findEngine, findLocalImages, runProgram, tryProgram } from '@kubernaut/kind';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import type { ClusterDescription } from '../harness/environment.ts';
import type { ClusterRun } from './cluster-run.ts';
import { describeCluster } from './describe-cluster.ts';
import { type Forwarding, forwardToPods } from './forward-to-pods.ts';
import { installPlatform } from './install-platform.ts';
import { REGISTRY_BASE_IMAGE } from './run-images.ts';

const GATEWAY = { namespace: 'kubernaut-system', app: 'gateway', port: 8080 } as const;

export async function openNamedCluster(context: string, signal: AbortSignal): Promise<ClusterRun> {
	const kubectl = await obtainPart('kubectl', { signal });
	const directory = join(cacheDirectory(), 'kind', 'named');
	mkdirSync(directory, { recursive: true });
	const kubeconfigPath = join(directory, 'kubeconfig');
	const view = ['config', 'view', '--minify', '--flatten', '--context', context] as const;
	writeFileSync(kubeconfigPath, await runProgram([kubectl, ...view], { signal }), { mode: 0o600 });
	const api = KubeApi.fromFile(kubeconfigPath);
	try {
		const { status } = await api.send('GET', '/apis/tekton.dev/v1');
		if (status !== 200)
			throw new Error(`${context} has no Tekton Pipelines: https://tekton.dev/docs/pipelines/install/`);
		const { readyMs } = await installPlatform(api, kubeconfigPath, kubectl, signal);
		const node = await nodeOfKind(context);
		const gateway = (await mappedPort(node)) ?? (await forwardToPods(kubectl, kubeconfigPath, GATEWAY, signal));
		const local = findLocalImages();
		const base = local ? LOCAL_BASE_IMAGE : REGISTRY_BASE_IMAGE;
		const description: ClusterDescription = {
			kubeconfigPath,
			gatewayUrl: gateway.url,
			node,
			images: { base, busybox: local?.busybox.name ?? base },
			kubectl,
		};
		const descriptionFile = join(directory, 'e2e.json');
		writeFileSync(descriptionFile, JSON.stringify(description));
		const describe = () => describeCluster(kubectl, kubeconfigPath);
		const summary = `Cluster ${context}: a working platform ${Math.round(readyMs / 1000)} s after kubectl apply -k.`;
		const freezes = node !== null;
		return { descriptionFile, kubeconfigPath, summary, freezes, describe, close: () => gateway.close() };
	} finally {
		await api.close();
	}
}

/** A kind cluster of this machine's engine: its node's processes can be stopped. */
async function nodeOfKind(context: string): Promise<ClusterDescription['node']> {
	if (!context.startsWith('kind-')) return null;
	const container = `${context.slice('kind-'.length)}-control-plane`;
	const engine = await findEngine();
	if (engine === undefined) return null;
	const found = await tryProgram(['docker', 'inspect', container], { env: engine.environment });
	return found === undefined ? null : { container, dockerHost: engine.environment['DOCKER_HOST'] ?? '' };
}

/** A node port that kind has mapped to this machine. */
async function mappedPort(node: ClusterDescription['node']): Promise<Forwarding | undefined> {
	if (node === null) return undefined;
	const env = { ...process.env, ...(node.dockerHost && { DOCKER_HOST: node.dockerHost }) };
	const mapped = await tryProgram(['docker', 'port', node.container, '30080/tcp'], { env });
	return mapped ? { url: `http://${mapped.split('\n')[0]}`, async close() {} } : undefined;
}
