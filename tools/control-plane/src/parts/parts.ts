// Every program that we run for real, one row each: where it comes from, how it starts, when it is ready.
// A new part is a new row here and a go.mod with its go.sum in go/<directory>.
import { join } from 'node:path';

export const PART_NAMES = ['etcd', 'kube-apiserver', 'alertmanager', 'prometheus', 'promtool', 'toxiproxy'] as const;
export type PartName = (typeof PART_NAMES)[number];

type StartContext = {
	/** The part's files go here, and here only. */
	readonly directory: string;
	/** As many free ports of the loopback interface as the row asks for. */
	readonly ports: readonly number[];
	/** Flags of the caller, after ours. */
	readonly extraArgs: readonly string[];
};

type StartPlan = {
	readonly args: readonly string[];
	/** Where the part listens, for its clients. */
	readonly url: string;
	/** Answers 200 when the part is ready. */
	readonly readyUrl: string;
};

type Part = {
	readonly module: string;
	readonly version: string;
	readonly package: string;
	/** Below go/: the module that pins this part and, in its go.sum, everything under it. */
	readonly directory: string;
	readonly ldflags?: string;
	readonly tags?: string;
	/** Prints the version of an installed binary. */
	readonly versionArgs: readonly string[];
	/** A found binary that is older is not used. */
	readonly oldest: string;
	readonly ports: number;
	/** Programs without a `start` run once and end. */
	readonly start?: (context: StartContext) => StartPlan;
};

const KUBERNETES = 'v1.36.3';
const PROMETHEUS = 'v0.311.2';
// Without the clients of all the clouds: the programs are a third of the size, and we name our targets ourselves.
const PROMETHEUS_TAGS = 'remove_all_sd';

export const PARTS: Record<PartName, Part> = {
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
	alertmanager: {
		module: 'github.com/prometheus/alertmanager',
		version: 'v0.31.1', // from v0.32 on the module lacks the files of its web page
		package: 'github.com/prometheus/alertmanager/cmd/alertmanager',
		directory: 'alertmanager',
		ldflags: '-X github.com/prometheus/common/version.Version=0.31.1',
		versionArgs: ['--version'],
		oldest: '0.25',
		ports: 1,
		start: ({ directory, ports: [port], extraArgs }) => ({
			args: [
				`--config.file=${join(directory, 'alertmanager.yaml')}`,
				`--storage.path=${join(directory, 'alertmanager')}`,
				`--web.listen-address=127.0.0.1:${port}`,
				'--cluster.listen-address=', // alone: no gossip
				...extraArgs,
			],
			url: `http://127.0.0.1:${port}`,
			readyUrl: `http://127.0.0.1:${port}/-/ready`,
		}),
	},
	prometheus: {
		module: 'github.com/prometheus/prometheus',
		version: PROMETHEUS,
		package: 'github.com/prometheus/prometheus/cmd/prometheus',
		directory: 'prometheus',
		ldflags: '-X github.com/prometheus/common/version.Version=3.11.2',
		tags: PROMETHEUS_TAGS,
		versionArgs: ['--version'],
		oldest: '2.42',
		ports: 1,
		start: ({ directory, ports: [port], extraArgs }) => ({
			args: [
				`--config.file=${join(directory, 'prometheus.yaml')}`,
				`--storage.tsdb.path=${join(directory, 'prometheus')}`,
				`--web.listen-address=127.0.0.1:${port}`,
				...extraArgs,
			],
			url: `http://127.0.0.1:${port}`,
			readyUrl: `http://127.0.0.1:${port}/-/ready`,
		}),
	},
	promtool: {
		module: 'github.com/prometheus/prometheus',
		version: PROMETHEUS,
		package: 'github.com/prometheus/prometheus/cmd/promtool',
		directory: 'prometheus',
		ldflags: '-X github.com/prometheus/common/version.Version=3.11.2',
		tags: PROMETHEUS_TAGS,
		versionArgs: ['--version'],
		oldest: '2.42',
		ports: 0,
	},
	toxiproxy: {
		module: 'github.com/Shopify/toxiproxy/v2',
		version: 'v2.12.0',
		package: 'github.com/Shopify/toxiproxy/v2/cmd/server',
		directory: 'toxiproxy',
		ldflags: '-X github.com/Shopify/toxiproxy/v2.Version=2.12.0',
		versionArgs: ['--version'],
		oldest: '2.5',
		ports: 1,
		start: ({ ports: [port], extraArgs }) => ({
			args: ['-host=127.0.0.1', `-port=${port}`, ...extraArgs],
			url: `http://127.0.0.1:${port}`,
			readyUrl: `http://127.0.0.1:${port}/version`,
		}),
	},
};

function kubernetesVersionFlags(version: string): string {
	const [major, minor] = version.replace('v', '').split('.');
	const flags = { gitVersion: version, gitMajor: major, gitMinor: minor };
	return Object.entries(flags)
		.map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
		.join(' ');
}
