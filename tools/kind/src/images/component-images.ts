// The images that kubeadm starts on a node: the control plane, the proxy, DNS, and the first process of every pod.
import { copyFileSync, cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { partVersion } from '@kubernaut/control-plane';
import { runProgram } from '../run-program.ts';
import { copyLibraries, librariesIn } from './libraries.ts';
import { type ProgramImage, writeProgramImage } from './program-images.ts';
import type { NodePrograms } from './programs.ts';

/** A name that no registry has: what is missing on the node fails at once, and nothing is asked of a network. */
export const COMPONENT_REPOSITORY = 'kind.local';
/** Component → tag, in kubeadm's own words: it will ask for exactly these. */
export type ComponentTags = Readonly<Record<Component, string>>;

const COMPONENTS = [
	'kube-apiserver',
	'kube-controller-manager',
	'kube-scheduler',
	'kube-proxy',
	'etcd',
	'coredns',
	'pause',
] as const;
type Component = (typeof COMPONENTS)[number];
const PROXY_TOOLS = ['nft', 'conntrack', 'xtables-nft-multi', 'xtables-legacy-multi'];

export async function componentTags(kubeadm: string): Promise<ComponentTags> {
	const flags = [`--image-repository=${COMPONENT_REPOSITORY}`, `--kubernetes-version=${partVersion('kubelet')}`];
	const lines = (await runProgram([kubeadm, 'config', 'images', 'list', ...flags])).split('\n');
	const tags = Object.fromEntries(lines.map((line) => line.replace(`${COMPONENT_REPOSITORY}/`, '').split(':')));
	const missing = COMPONENTS.filter((name) => tags[name] === undefined);
	if (missing.length > 0) throw new Error(`kubeadm names no image for ${missing.join(', ')}:\n${lines.join('\n')}`);
	return tags as ComponentTags;
}

/** `root`: of the node, for the proxy's tools. The archives' paths. */
export async function componentImages(
	programs: NodePrograms,
	tags: ComponentTags,
	root: string,
	work: string,
): Promise<string[]> {
	const images = COMPONENTS.map((name): ProgramImage => {
		const path = name === 'coredns' || name === 'pause' ? `/${name}` : `/usr/local/bin/${name}`;
		const image = single(`${name}:${tags[name]}`, programs[name], path);
		return name === 'kube-proxy' ? { ...image, prepare: (directory) => addProxyTools(root, directory) } : image;
	});
	const archives: string[] = [];
	for (const [i, image] of images.entries()) {
		const archive = join(work, `component-${i}.tar`);
		await writeProgramImage(archive, image, work);
		archives.push(archive);
	}
	return archives;

	function single(tag: string, program: string, path: string): ProgramImage {
		return {
			name: `${COMPONENT_REPOSITORY}/${tag}`,
			files: { [path]: program },
			settings: { entrypoint: [path] },
			prepare: (image) => {
				mkdirSync(join(image, 'etc/ssl/certs'), { recursive: true });
				copyFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), join(image, 'etc/ssl/certs/ca-certificates.crt'));
			},
		};
	}
}

/** iptables in both of its forms, nft and conntrack, with their libraries and extensions. */
async function addProxyTools(root: string, image: string): Promise<void> {
	const sbin = join(image, 'usr/sbin');
	mkdirSync(sbin, { recursive: true });
	mkdirSync(join(image, 'run'), { recursive: true }); // the lock of iptables
	mkdirSync(join(image, 'usr/lib'), { recursive: true });
	symlinkSync('usr/lib', join(image, 'lib')); // as Debian has it: some paths are below /lib, some below /usr/lib
	for (const tool of PROXY_TOOLS) copyFileSync(join(root, 'usr/sbin', tool), join(sbin, tool));
	await copyLibraries(
		PROXY_TOOLS.map((tool) => `/usr/sbin/${tool}`),
		root,
		image,
	);
	for (const family of ['iptables', 'ip6tables'])
		for (const command of ['', '-save', '-restore']) {
			symlinkSync('xtables-nft-multi', join(sbin, `${family}${command}`));
			symlinkSync('xtables-legacy-multi', join(sbin, `${family}-legacy${command}`));
		}
	const [library] = librariesIn(await runProgram(['chroot', root, 'ldd', '/usr/sbin/nft'])).filter((path) =>
		path.includes('libnftables'),
	);
	const directory = join('usr', library!.replace(/\/[^/]+$/, '').replace(/^\/usr/, ''), 'xtables');
	cpSync(join(root, directory), join(image, directory), { recursive: true });
}
