// Kubernetes itself: the API server with its storage, and what else tests need of a control plane.
import { join } from 'node:path';
import type { Part } from '../part.ts';

const KUBERNETES = 'v1.36.3';

// Of about forty: those that a pipeline without workloads meets. All of them would cost memory and time at every start.
const CONTROLLERS = [
	'garbage-collector-controller', // cascading and foreground deletion
	'namespace-controller', // a deleted namespace goes with what is in it
	'serviceaccount-controller', // the account `default` of every namespace: no pod is admitted without its account
	'resourcequota-controller', // a quota refuses nothing before its status is there
];

export const KUBERNETES_PARTS = {
	etcd: {
		module: 'go.etcd.io/etcd/server/v3',
		version: 'v3.6.16',
		package: 'go.etcd.io/etcd/server/v3',
		directory: 'etcd',
		versionArgs: ['--version'],
		oldest: '3.6', // the API server's watch cache needs progress notifications on request
		ports: 2,
		start: ({ directory, ports: [client, peer], extraArgs }) => ({
			args: [
				`--data-dir=${join(directory, 'etcd')}`,
				`--listen-client-urls=https://127.0.0.1:${client}`,
				`--advertise-client-urls=https://127.0.0.1:${client}`,
				`--listen-peer-urls=http://127.0.0.1:${peer}`,
				`--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
				`--initial-cluster=default=http://127.0.0.1:${peer}`,
				// Without certificates, an API server whose etcd lost the race for its port would find another's etcd there.
				`--cert-file=${join(directory, 'server.crt')}`,
				`--key-file=${join(directory, 'server.key')}`,
				`--trusted-ca-file=${join(directory, 'ca.crt')}`,
				'--client-cert-auth',
				'--unsafe-no-fsync', // throwaway data: a crash of the machine may lose it
				...extraArgs,
			],
			url: `https://127.0.0.1:${client}`,
			readyUrl: `https://127.0.0.1:${client}/readyz`,
		}),
	},
	'kube-apiserver': {
		module: 'k8s.io/kubernetes',
		version: KUBERNETES,
		package: 'k8s.io/kubernetes/cmd/kube-apiserver',
		directory: 'kube-apiserver',
		// Without these the server calls itself v0.0.0-master.
		ldflags: kubernetesVersionFlags(KUBERNETES),
		versionArgs: ['--version'],
		oldest: '1.35', // resourceVersions are comparable from here on
		ports: 1,
		start: ({ directory, ports: [port], extraArgs }) => ({
			args: [
				'--bind-address=127.0.0.1',
				'--advertise-address=127.0.0.1',
				`--secure-port=${port}`,
				'--endpoint-reconciler-type=none',
				`--etcd-cafile=${join(directory, 'ca.crt')}`,
				`--etcd-certfile=${join(directory, 'etcd-client.crt')}`,
				`--etcd-keyfile=${join(directory, 'etcd-client.key')}`,
				`--tls-cert-file=${join(directory, 'server.crt')}`,
				`--tls-private-key-file=${join(directory, 'server.key')}`,
				`--client-ca-file=${join(directory, 'ca.crt')}`,
				'--service-account-issuer=https://kubernetes.default.svc',
				`--service-account-key-file=${join(directory, 'service-account.pub')}`,
				`--service-account-signing-key-file=${join(directory, 'service-account.key')}`,
				'--authorization-mode=Node,RBAC',
				'--service-cluster-ip-range=10.96.0.0/16',
				'--allow-privileged=true',
				...extraArgs,
			],
			url: `https://127.0.0.1:${port}`,
			readyUrl: `https://127.0.0.1:${port}/readyz`,
		}),
	},
	'kube-controller-manager': {
		...controllers('kube-controller-manager'),
		start: ({ directory, ports: [port], extraArgs }) => ({
			args: [...controllerFlags(directory, port), `--controllers=${CONTROLLERS.join(',')}`, ...extraArgs],
			url: `https://127.0.0.1:${port}`,
			readyUrl: `https://127.0.0.1:${port}/healthz`,
		}),
	},
	'kube-scheduler': {
		...controllers('kube-scheduler'),
		start: ({ directory, ports: [port], extraArgs }) => ({
			args: [...controllerFlags(directory, port), ...extraArgs],
			url: `https://127.0.0.1:${port}`,
			readyUrl: `https://127.0.0.1:${port}/readyz`,
		}),
	},
} satisfies Record<string, Part>;

/** Both are pinned beside the API server, not with it: most tests need neither, and their modules would be its modules. */
function controllers(name: string) {
	return {
		module: 'k8s.io/kubernetes',
		version: KUBERNETES,
		package: `k8s.io/kubernetes/cmd/${name}`,
		directory: 'kube-controllers',
		ldflags: kubernetesVersionFlags(KUBERNETES),
		versionArgs: ['--version'],
		oldest: '1.35',
		ports: 1,
	};
}

function controllerFlags(directory: string, port: number | undefined): string[] {
	return [
		`--kubeconfig=${join(directory, 'kubeconfig')}`,
		'--bind-address=127.0.0.1',
		`--secure-port=${port}`,
		`--tls-cert-file=${join(directory, 'server.crt')}`,
		`--tls-private-key-file=${join(directory, 'server.key')}`,
		'--leader-elect=false', // alone, and back at once after a kill
	];
}

export function kubernetesVersionFlags(version: string): string {
	const [major, minor] = version.replace('v', '').split('.');
	const flags = { gitVersion: version, gitMajor: major, gitMinor: minor };
	return Object.entries(flags)
		.map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
		.join(' ');
}
