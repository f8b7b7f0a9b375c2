// A cluster with the platform on it, for one run of the scenarios.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPart, KubeApi } from '@kubernaut/control-plane';
import {
	createKindCluster,
	findLocalImages,
	installTekton,
	type KindCluster,
	loadArchives,
	loadFromEngine,
	loadIntoEngine,
	obtainEngine,
	obtainTektonImages,
} from '@kubernaut/kind';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import { acquireFileLock } from '@kubernaut/workspace/file-lock';
import { startProgress } from '@kubernaut/workspace/progress';
import type { ClusterDescription } from '../harness/environment.ts';
import { describeCluster } from './describe-cluster.ts';
import { installPlatform } from './install-platform.ts';
import { buildRunImages } from './run-images.ts';

export type ClusterRun = {
	readonly descriptionFile: string;
	readonly kubeconfigPath: string;
	/** One line for people. */
	readonly summary: string;
	/** Its pods can be frozen: its node is a container of this machine. */
	readonly freezes: boolean;
	/** How a person removes it, where it can stay when the command ends: an engine of our own ends with us. */
	readonly removal?: string;
	/** Everything about its pods, into the results. */
	describe(): Promise<void>;
	close(): Promise<void>;
};

const NAME = 'kubernaut-e2e';
const GATEWAY_PORT = 30080;

export async function openKindRun(signal: AbortSignal, previousFile: string | undefined): Promise<ClusterRun> {
	const release = await onlyRun(signal);
	let engine: Awaited<ReturnType<typeof obtainEngine>> | undefined;
	let cluster: KindCluster | undefined;
	let describe = async () => {};
	const close = async () => {
		await cluster?.remove();
		await engine?.stop();
		release();
	};
	try {
		engine = await obtainEngine({ signal });
		Object.assign(process.env, engine.environment); // for what builds images
		console.log(`Docker: ${engine.description}.`);
		const directory = join(cacheDirectory(), 'kind', 'cluster');
		mkdirSync(directory, { recursive: true });
		const local = findLocalImages();
		console.log(
			local
				? `Node image: local, ${local.node.name}.`
				: "Node image: the registry's kindest/node (npm run e2e:node-image builds one where nothing can be pulled).",
		);
		const kind = await program('kind', signal);
		const kubectl = await program('kubectl', signal);
		if (local) await loadIntoEngine(engine, [local.node]);
		const tekton = await obtainTektonImages(engine, { released: local === undefined, signal });
		console.log(`Tekton: ${tekton.description}.`);
		const images = await buildRunImages(engine, local, previousFile, signal);
		const startedAt = performance.now();
		cluster = await createKindCluster({
			name: NAME,
			kind,
			directory,
			engine,
			nodePorts: [GATEWAY_PORT],
			signal,
			...(local && { nodeImage: local.node.name }),
		});
		const { kubeconfigPath, node, hostPorts } = cluster;
		describe = () => describeCluster(kubectl, kubeconfigPath);
		const clusterMs = performance.now() - startedAt;
		await loadFromEngine(cluster, [...new Set([...images.all, ...tekton.pulled])]);
		await loadArchives(cluster, [...tekton.archives, ...(local ? [local.busybox] : [])]);
		const api = KubeApi.fromFile(kubeconfigPath);
		try {
			const tektonAt = performance.now();
			await installTekton(api, tekton.config, tekton.nameOf, images.busybox, signal);
			const tektonMs = performance.now() - tektonAt;
			const { readyMs } = await installPlatform(api, kubeconfigPath, kubectl, signal);
			const description: ClusterDescription = {
				kubeconfigPath,
				gatewayUrl: `http://127.0.0.1:${hostPorts[0]}`,
				node: { container: node, dockerHost: engine.environment['DOCKER_HOST'] ?? '' },
				images: { busybox: images.busybox, base: images.base },
				kubectl,
			};
			const descriptionFile = join(directory, 'e2e.json');
			writeFileSync(descriptionFile, JSON.stringify(description));
			const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
			const summary = `Cluster ready after ${seconds(clusterMs)}; Tekton after ${seconds(tektonMs)} more; kubectl apply -k to a working platform: ${seconds(readyMs)}.`;
			const removal = engine.isOwn ? {} : { removal: `${kind} delete cluster --name ${NAME}` };
			return { descriptionFile, kubeconfigPath, summary, freezes: true, ...removal, describe, close };
		} finally {
			await api.close();
		}
	} catch (error) {
		if (!signal.aborted) await describe();
		await close();
		throw error;
	}
}

/** The cluster has one name on a machine: a second run waits for the first. */
async function onlyRun(signal: AbortSignal): Promise<() => void> {
	const onWait = ({ pid }: { pid: number }) => {
		const progress = startProgress(`Waiting for the other run (process ${pid})`);
		return () => progress.stop('done');
	};
	return acquireFileLock(join(cacheDirectory(), 'locks', 'e2e-cluster'), { onWait, signal });
}

async function program(name: 'kind' | 'kubectl', signal: AbortSignal): Promise<string> {
	const built = await buildPart(name, { signal });
	if ('problem' in built) throw new Error(`${name} cannot be built: ${built.problem}`);
	return built.path;
}
