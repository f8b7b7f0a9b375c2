// The programs that the images are made of: exactly ours, not those that happen to be on PATH.
import { existsSync } from 'node:fs';
import { buildPart, builtBinaryPath, type PartName } from '@kubernaut/control-plane';

/** The parts of Kubernetes first: they share most of their packages. */
export const NODE_PARTS = [
	'etcd',
	'kube-apiserver',
	'kube-controller-manager',
	'kube-scheduler',
	'kubelet',
	'kubeadm',
	'kube-proxy',
	'kubectl',
	'kind',
	'pause',
	'cni-host-local',
	'cni-loopback',
	'cni-ptp',
	'cni-portmap',
	'containerd',
	'ctr',
	'containerd-shim-runc-v2',
	'coredns',
] as const satisfies readonly PartName[];
export const TEKTON_IMAGE_PARTS = [
	'tekton-controller',
	'tekton-webhook',
	'tekton-resolvers',
	'tekton-entrypoint',
	'tekton-nop',
	'tekton-workingdirinit',
] as const satisfies readonly PartName[];

export type NodePrograms = Readonly<Record<(typeof NODE_PARTS)[number], string>>;
export type TektonImagePrograms = Readonly<Record<(typeof TEKTON_IMAGE_PARTS)[number], string>>;

/** Builds what is missing, one after the other; what is there costs nothing. */
export async function buildPrograms<Name extends PartName>(
	names: readonly Name[],
	options: { signal?: AbortSignal } = {},
): Promise<Readonly<Record<Name, string>>> {
	const programs: Partial<Record<Name, string>> = {};
	for (const name of names) {
		const built = await buildPart(name, options);
		if ('problem' in built) throw new Error(`${name} cannot be built: ${built.problem}`);
		programs[name] = built.path;
	}
	return programs as Record<Name, string>;
}

/** Undefined when one of them was not built yet. */
export function builtPrograms<Name extends PartName>(
	names: readonly Name[],
): Readonly<Record<Name, string>> | undefined {
	const paths = names.map((name) => [name, builtBinaryPath(name)] as const);
	if (!paths.every(([, path]) => existsSync(path))) return undefined;
	return Object.fromEntries(paths) as Record<Name, string>;
}
