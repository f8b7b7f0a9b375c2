// A cluster with the platform on it, for one run of the scenarios.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPart, builtBinaryPath, builtPartFiles, KubeApi } from '@kubernaut/control-plane';
import { LOCAL_BASE_IMAGE } from '@kubernaut/images';
import {
	buildProgramImages,
	createKindCluster,
	type DockerEngine,
	findLocalImages,
	installTekton,
	type KindCluster,
	type LocalImages,
	loadArchives,
	loadFromEngine,
	loadIntoEngine,
	obtainEngine,
	runProgram,
	tektonImageName,
} from '@kubernaut/kind';
import { APPS } from '@kubernaut/testkit/app-process';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import type { ClusterDescription } from '../harness/environment.ts';
import { installPlatform } from './install-platform.ts';
import { buildReceiversImage, RECEIVERS_IMAGE } from './receivers-image.ts';

export type ClusterRun = {
	readonly descriptionFile: string;
	readonly kubeconfigPath: string;
	/** One line for people. */
	readonly summary: string;
	close(): Promise<void>;
};

const NAME = 'kubernaut-e2e';
const GATEWAY_PORT = 30080;
const ROOT = join(import.meta.dirname, '..', '..');
/** With a registry: Node and a shell in one, and the Dockerfile's own default. */
const REGISTRY_BASE_IMAGE = 'node:22.23.2-bookworm-slim';

export async function openKindRun(signal: AbortSignal): Promise<ClusterRun> {
	const engine = await obtainEngine({ signal });
	console.log(`Docker: ${engine.description}.`);
	const directory = join(cacheDirectory(), 'kind', 'cluster');
	mkdirSync(directory, { recursive: true });
	let cluster: KindCluster | undefined;
	const close = async () => {
		await cluster?.remove();
		await engine.stop();
	};
	try {
		const local = findLocalImages();
		console.log(
			local
				? `Node image: local, ${local.node.name}.`
				: "Node image: the registry's kindest/node (npm run e2e:node-image builds one where nothing can be pulled).",
		);
		const kind = await program('kind', signal);
		const kubectl = await program('kubectl', signal);
		if (local) await loadIntoEngine(engine, [local.node]);
		const programs = await buildProgramImages({ signal });
		const images = await buildImages(engine, local, signal);
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
		const clusterMs = performance.now() - startedAt;
		await loadFromEngine(cluster, [...new Set(images.all)]);
		await loadArchives(cluster, [...programs, ...(local ? [local.busybox] : [])]);
		const api = KubeApi.fromFile(cluster.kubeconfigPath);
		try {
			const config = join(builtPartFiles(builtBinaryPath('tekton-controller')), 'config');
			const tektonAt = performance.now();
			await installTekton(api, config, tektonImageName, images.busybox, signal);
			const tektonMs = performance.now() - tektonAt;
			const { readyMs } = await installPlatform(api, cluster.kubeconfigPath, kubectl, signal);
			const description: ClusterDescription = {
				kubeconfigPath: cluster.kubeconfigPath,
				gatewayUrl: `http://127.0.0.1:${cluster.hostPorts[0]}`,
				node: { container: cluster.node, dockerHost: engine.environment['DOCKER_HOST'] ?? '' },
				images: { busybox: images.busybox, base: images.base },
				kubectl,
			};
			const descriptionFile = join(directory, 'e2e.json');
			writeFileSync(descriptionFile, JSON.stringify(description));
			const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
			const summary = `Cluster ready after ${seconds(clusterMs)}; Tekton after ${seconds(tektonMs)} more; kubectl apply -k to a working platform: ${seconds(readyMs)}.`;
			return { descriptionFile, kubeconfigPath: cluster.kubeconfigPath, summary, close };
		} finally {
			await api.close();
		}
	} catch (error) {
		await close();
		throw error;
	}
}

type RunImages = { readonly all: readonly string[]; readonly base: string; readonly busybox: string };

async function buildImages(
	engine: DockerEngine,
	local: LocalImages | undefined,
	signal: AbortSignal,
): Promise<RunImages> {
	const env = engine.environment;
	const base = local ? LOCAL_BASE_IMAGE : REGISTRY_BASE_IMAGE;
	await runHere(['tools/images/src/cli.ts', ...(local ? ['--local-base'] : [])], env, signal);
	if (!local) await runProgram(['docker', 'pull', base], { env, signal });
	await buildReceiversImage(engine, base);
	const apps = APPS.map((app) => `kubernaut/${app}:dev`);
	return { all: [...apps, RECEIVERS_IMAGE, base], base, busybox: local ? local.busybox.name : base };
}

async function program(name: 'kind' | 'kubectl', signal: AbortSignal): Promise<string> {
	const built = await buildPart(name, { signal });
	if ('problem' in built) throw new Error(`${name} cannot be built: ${built.problem}`);
	return built.path;
}

function runHere(args: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const child = spawn(process.execPath, [...args], { cwd: ROOT, env, signal, stdio: 'inherit' });
		child.once('error', reject);
		child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${args[0]} ended with ${code}`))));
	});
}
