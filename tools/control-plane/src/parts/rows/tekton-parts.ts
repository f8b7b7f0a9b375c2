// Tekton, and the nodes that play its pods. Tekton runs outside of the cluster, each program under its own ServiceAccount.
// Not kept to the loopback interface: Tekton's probes, its profiling port and its webhook listen on all interfaces, and
// each program also tries port 8080 and goes on without it when it is taken. Neither can be set from outside.
import { join } from 'node:path';
import type { Part, StartContext } from '../part.ts';

const TEKTON = 'v1.15.1';

/** Any names: no container is ever started. Tekton only refuses to run without them. */
const IMAGES = [
	'entrypoint-image',
	'nop-image',
	'sidecarlogresults-image',
	'shell-image',
	'shell-image-win',
	'workingdirinit-image',
];

export const TEKTON_PARTS = {
	'tekton-controller': {
		...tekton('controller'),
		files: ['config'], // its CRDs, rights and settings
		ports: 2,
		start: (context) => ({
			args: [
				...tektonFlags(context, 'tekton-controller'),
				...IMAGES.map((image) => `-${image}=kubernaut.invalid/${image}`),
				...context.extraArgs,
			],
			env: {
				...tektonEnvironment(context, 'controller'),
				CONFIG_DEFAULTS_NAME: 'config-defaults',
				CONFIG_SPIRE: 'config-spire',
			},
			...tektonUrls(context),
		}),
	},
	'tekton-webhook': {
		...tekton('webhook'),
		ports: 3,
		start: (context) => ({
			args: [...tektonFlags(context, 'tekton-webhook'), ...context.extraArgs],
			env: {
				...tektonEnvironment(context, 'webhook'),
				WEBHOOK_PORT: String(context.ports[2]),
				WEBHOOK_SERVICE_NAME: 'tekton-pipelines-webhook',
				WEBHOOK_SECRET_NAME: 'webhook-certs',
				WEBHOOK_ADMISSION_CONTROLLER_NAME: 'webhook.pipeline.tekton.dev',
			},
			...tektonUrls(context),
		}),
	},
	kwok: {
		module: 'sigs.k8s.io/kwok',
		version: 'v0.8.0',
		package: 'sigs.k8s.io/kwok/cmd/kwok',
		directory: 'kwok',
		versionArgs: ['--version'],
		oldest: '0.7',
		ports: 1,
		start: ({ directory, ports: [port], extraArgs }) => ({
			args: [
				`--kubeconfig=${join(directory, 'kubeconfig')}`,
				`--config=${join(directory, 'kwok.yaml')}`,
				'--manage-all-nodes=true',
				'--node-lease-duration-seconds=0', // else one that was killed is waited for until its leases expire
				`--server-address=127.0.0.1:${port}`,
				...extraArgs,
			],
			env: { KWOK_WORKDIR: directory }, // and not the user's, with stages of his
			url: `http://127.0.0.1:${port}`,
			readyUrl: `http://127.0.0.1:${port}/readyz`,
		}),
	},
} satisfies Record<string, Part>;

function tekton(command: string) {
	return {
		module: 'github.com/tektoncd/pipeline',
		version: TEKTON,
		package: `github.com/tektoncd/pipeline/cmd/${command}`,
		directory: 'tekton',
		oldest: '1.15',
	};
}

function tektonFlags({ directory }: StartContext, name: string): string[] {
	// Without high availability: alone, and back at once after a kill, which would leave a lease for a minute.
	return [`-kubeconfig=${join(directory, `${name}.kubeconfig`)}`, '-disable-ha'];
}

function tektonEnvironment({ ports: [probes, profiling] }: StartContext, component: string) {
	return {
		SYSTEM_NAMESPACE: 'tekton-pipelines',
		CONFIG_LOGGING_NAME: 'config-logging',
		CONFIG_OBSERVABILITY_NAME: 'config-observability',
		CONFIG_FEATURE_FLAGS_NAME: 'feature-flags',
		CONFIG_LEADERELECTION_NAME: `config-leader-election-${component}`,
		METRICS_DOMAIN: 'tekton.dev/pipeline',
		PROBES_PORT: String(probes),
		PROFILING_PORT: String(profiling),
	};
}

function tektonUrls({ ports: [probes, , https] }: StartContext) {
	return {
		url: https === undefined ? `http://127.0.0.1:${probes}` : `https://127.0.0.1:${https}`,
		readyUrl: `http://127.0.0.1:${probes}/readiness`,
	};
}
