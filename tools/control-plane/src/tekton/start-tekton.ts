// Tekton as processes of our own beside the API server: its controller and webhook, and what they need of a cluster,
// which is the scheduler, some controllers of Kubernetes, and a node.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgress } from '@kubernaut/workspace/progress';
import { type BuildOptions, builtPartFiles } from '../parts/build-part.ts';
import { freePorts } from '../parts/free-ports.ts';
import { obtainPart } from '../parts/obtain-part.ts';
import { PARTS, type PartName } from '../parts/parts.ts';
import { startPart } from '../parts/start-part.ts';
import { clientCredentials } from '../server/certificates.ts';
import { KubeApi } from '../server/kube-api.ts';
import { kubeconfigText } from '../server/kubeconfig.ts';
import { installTekton, readTektonConfig, TEKTON_NAMESPACE, waitForWebhook } from './install-tekton.ts';
import { kwokStages } from './kwok-stages.ts';
import { createSimulatedNode } from './simulated-node.ts';

/** In the order in which they are built: the first ones share most packages with the API server. */
export const TEKTON_PLATFORM = [
	'kube-controller-manager',
	'kube-scheduler',
	'tekton-controller',
	'tekton-webhook',
	'kwok',
] as const satisfies readonly PartName[];

export type TektonPrograms = Record<(typeof TEKTON_PLATFORM)[number], string>;

const TOKEN_SECONDS = 7 * 24 * 60 * 60;
const ACCOUNTS = {
	'tekton-controller': 'tekton-pipelines-controller',
	'tekton-webhook': 'tekton-pipelines-webhook',
} as const;

/** One after the other: builds wait for each other anyway. */
export async function obtainTekton(options: BuildOptions = {}): Promise<TektonPrograms> {
	const programs: Partial<TektonPrograms> = {};
	for (const name of TEKTON_PLATFORM) programs[name] = await obtainPart(name, options);
	return programs as TektonPrograms;
}

/** `directory`: of a control plane whose API server is ready. Ends when a pipeline can run. */
export async function startTekton(directory: string, programs: TektonPrograms, signal?: AbortSignal): Promise<void> {
	const progress = startProgress('Starting Tekton and a simulated node');
	const api = KubeApi.fromFile(join(directory, 'kubeconfig'));
	try {
		const config = readTektonConfig(join(builtPartFiles(programs['tekton-controller']), 'config'));
		const webhookPorts = await freePorts(PARTS['tekton-webhook'].ports);
		// First, because the garbage collector looks for new kinds only every 30 s.
		await installTekton(api, config, webhookPorts.at(-1)!);
		for (const name of ['tekton-controller', 'tekton-webhook'] as const) await writeKubeconfig(api, directory, name);
		await createSimulatedNode(api);
		const start = (name: (typeof TEKTON_PLATFORM)[number], more: object = {}) =>
			startPart(name, { directory, binary: programs[name], ...(signal && { signal }), ...more });
		await Promise.all([
			start('tekton-webhook', { ports: webhookPorts }),
			start('tekton-controller'),
			start('kube-controller-manager'),
			start('kube-scheduler'),
			start('kwok', { files: { 'kwok.yaml': kwokStages() } }),
		]);
		await waitForWebhook(api, config, signal);
		progress.stop('done');
	} finally {
		progress.stop(signal?.aborted ? 'interrupted' : 'failed'); // the first end counts
		await api.close();
	}
}

async function writeKubeconfig(api: KubeApi, directory: string, name: keyof typeof ACCOUNTS): Promise<void> {
	const path = `/api/v1/namespaces/${TEKTON_NAMESPACE}/serviceaccounts/${ACCOUNTS[name]}/token`;
	const { status } = await api.call('POST', path, { body: { spec: { expirationSeconds: TOKEN_SECONDS } } });
	const { ca } = clientCredentials(directory)!;
	const text = kubeconfigText(api.server, ca, { token: status.token as string }, TEKTON_NAMESPACE);
	writeFileSync(join(directory, `${name}.kubeconfig`), text, { mode: 0o600 });
}
