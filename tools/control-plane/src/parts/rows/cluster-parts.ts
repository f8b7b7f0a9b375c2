// What a node of a real cluster runs, and the tool that makes one (tools/kind builds its images from these).

import type { Part } from '../part.ts';
import { kubernetesVersionFlags } from './kubernetes-parts.ts';

const KUBERNETES = 'v1.36.3';
const CONTAINERD = 'v2.3.4'; // as kind's own node image has it
const TEKTON = 'v1.15.1';

export const CLUSTER_PARTS = {
	kubectl: { ...node('kubectl'), versionArgs: ['version', '--client'] },
	kubelet: node('kubelet'),
	kubeadm: node('kubeadm'),
	'kube-proxy': node('kube-proxy'),
	kind: {
		module: 'sigs.k8s.io/kind',
		version: 'v0.33.0',
		package: 'sigs.k8s.io/kind',
		directory: 'kind',
		files: ['images/base/files'], // what its own node image is made of, beside programs
		oldest: '0.33',
		ports: 0,
	},
	containerd: containerd('containerd'),
	ctr: containerd('ctr'),
	'containerd-shim-runc-v2': containerd('containerd-shim-runc-v2'),
	'cni-host-local': networkPlugin('ipam/host-local'),
	'cni-loopback': networkPlugin('main/loopback'),
	'cni-ptp': networkPlugin('main/ptp'),
	'cni-portmap': networkPlugin('meta/portmap'),
	coredns: {
		module: 'github.com/coredns/coredns',
		version: 'v1.14.2',
		package: '.', // ours: the plugins that kubeadm's settings name
		directory: 'coredns',
		oldest: '1.14',
		ports: 0,
	},
	pause: { module: '', version: 'v3.10.1', package: '.', directory: 'pause', oldest: '3.10', ports: 0 },
	'tekton-resolvers': tektonImage('resolvers'),
	'tekton-entrypoint': tektonImage('entrypoint'),
	'tekton-nop': { ...tektonImage('nop'), files: ['config'] }, // the smallest: manifests without the time to build all
	'tekton-workingdirinit': tektonImage('workingdirinit'),
} satisfies Record<string, Part>;

function node(command: string) {
	return {
		module: 'k8s.io/kubernetes',
		version: KUBERNETES,
		package: `k8s.io/kubernetes/cmd/${command}`,
		directory: 'kube-node',
		ldflags: kubernetesVersionFlags(KUBERNETES),
		oldest: '1.35',
		ports: 0,
	};
}

function containerd(command: string) {
	const module = 'github.com/containerd/containerd/v2';
	return {
		module,
		version: CONTAINERD,
		package: `${module}/cmd/${command}`,
		directory: 'containerd',
		ldflags: `-X ${module}/version.Version=${CONTAINERD}`,
		tags: 'no_btrfs no_devmapper no_zfs',
		oldest: '2.3',
		ports: 0,
	};
}

function networkPlugin(path: string) {
	const module = 'github.com/containernetworking/plugins';
	return {
		module,
		version: 'v1.9.1',
		package: `${module}/plugins/${path}`,
		directory: 'cni-plugins',
		oldest: '1.9',
		ports: 0,
	};
}

function tektonImage(command: string) {
	const module = 'github.com/tektoncd/pipeline';
	return {
		module,
		version: TEKTON,
		package: `${module}/cmd/${command}`,
		directory: 'tekton-images',
		oldest: '1.15',
		ports: 0,
	};
}
