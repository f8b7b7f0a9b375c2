// A node image for kind, made as kind makes its own (images/base/Dockerfile, then `kind build node-image`), from programs that
// were built from source and from Debian's packages; nothing is pulled.
import {
	chmodSync,
	copyFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { builtPartFiles, partVersion } from '@kubernaut/control-plane';
import { runProgram } from '../run-program.ts';
import { COMPONENT_REPOSITORY, type ComponentTags, componentImages, componentTags } from './component-images.ts';
import { debianRoot, debianRootFile } from './debian-root.ts';
import { writeImageArchive } from './image-archive.ts';
import { preloadImages } from './preload-images.ts';
import type { NodePrograms } from './programs.ts';
import { stage, stageFile } from './stage.ts';

const RECIPE = '1'; // raised when this file makes another image of the same parts
const NETWORK_PLUGINS = ['host-local', 'loopback', 'ptp', 'portmap'] as const;

export type LocalImage = { readonly name: string; readonly archive: string };

export function nodeImageOf(programs: NodePrograms): LocalImage {
	const archive = stageFile('node', [RECIPE, debianRootFile(), ...Object.values(programs)]);
	const key = /-([0-9a-f]{12})\.tar$/.exec(archive)?.[1];
	return { name: `kubernaut/node:${partVersion('kubelet')}-${key}`, archive };
}

export async function buildNodeImage(
	programs: NodePrograms,
	options: { signal?: AbortSignal } = {},
): Promise<LocalImage> {
	const image = nodeImageOf(programs);
	if (existsSync(image.archive)) return image;
	const debian = await debianRoot(options);
	await stage('Making the node image', image.archive, async (work, update) => {
		const root = join(work, 'root');
		mkdirSync(root);
		update('unpacking Debian');
		await runProgram(['tar', '-C', root, '--numeric-owner', '-xpf', debian], options);
		addKindFiles(root, builtPartFiles(programs.kind));
		await setUpServices(root);
		addPrograms(root, programs);
		const tags = await componentTags(programs.kubeadm);
		await writeContainerSettings(root, programs.ctr, tags);
		update('images of the components');
		const archives = await componentImages(programs, tags, root, work);
		update('putting them into the node');
		await preloadImages(archives, programs, root, work);
		for (const archive of archives) rmSync(archive);
		cleanUp(root);
		update('writing the image');
		const layer = join(work, 'layer.tar');
		await runProgram(['tar', '-C', root, '--numeric-owner', '-cf', layer, '.'], options);
		rmSync(root, { recursive: true });
		await writeImageArchive(image.archive, image.name, layer, {
			entrypoint: ['/usr/local/bin/entrypoint', '/sbin/init'],
			env: ['container=docker'],
			stopSignal: 'SIGRTMIN+3', // systemd takes SIGTERM for the wish to start anew
		});
	});
	return image;
}

function addKindFiles(root: string, kindFiles: string): void {
	const files = join(kindFiles, 'images/base/files');
	for (const directory of ['kind', 'etc', 'usr/local/bin']) {
		cpSync(join(files, directory), join(root, directory), { recursive: true });
		for (const entry of readdirSync(join(files, directory), { recursive: true, withFileTypes: true })) {
			const copy = join(entry.parentPath.replace(files, root), entry.name);
			const isProgram = entry.isDirectory() || /\/(kind|usr\/local)\/bin$/.test(entry.parentPath);
			chmodSync(copy, isProgram ? 0o755 : 0o644);
		}
	}
	rmSync(join(root, 'etc/systemd/system/containerd-fuse-overlayfs.service'), { force: true });
}

async function setUpServices(root: string): Promise<void> {
	const systemd = join(root, 'lib/systemd/system');
	rmSync(join(systemd, 'sysinit.target.wants/systemd-tmpfiles-setup.service'), { force: true });
	for (const target of ['multi-user', 'local-fs', 'basic']) emptyDirectory(join(systemd, `${target}.target.wants`));
	for (const name of readdirSync(join(root, 'etc/systemd/system')).filter((entry) => entry.endsWith('.wants')))
		emptyDirectory(join(root, 'etc/systemd/system', name));
	emptyDirectory(join(systemd, 'sockets.target.wants'), /udev|initctl/);
	const journald = join(root, 'etc/systemd/journald.conf');
	writeFileSync(journald, `${readFileSync(journald, 'utf8')}\nReadKMsg=no\n`);
	rmSync(join(root, 'sbin/init'), { force: true });
	symlinkSync('/usr/lib/systemd/systemd', join(root, 'sbin/init'));
	await runProgram(['chroot', root, 'systemctl', '-q', 'enable', 'kubelet', 'containerd', 'undo-mount-hacks']);
	await runProgram(['chroot', root, 'systemctl', '-q', 'mask', 'systemd-binfmt']);
}

function addPrograms(root: string, programs: NodePrograms): void {
	const directories = ['etc/kubernetes/manifests', 'opt/cni/bin', 'etc/cni/net.d', 'kind/manifests', 'etc/containerd'];
	for (const directory of directories) mkdirSync(join(root, directory), { recursive: true });
	const install = (program: string, path: string) => {
		copyFileSync(program, join(root, path));
		chmodSync(join(root, path), 0o755);
	};
	for (const name of ['kubeadm', 'kubelet', 'kubectl'] as const) install(programs[name], `usr/bin/${name}`);
	for (const name of ['containerd', 'ctr', 'containerd-shim-runc-v2'] as const)
		install(programs[name], `usr/local/bin/${name}`);
	for (const name of NETWORK_PLUGINS) install(programs[`cni-${name}`], `opt/cni/bin/${name}`);
	writeFileSync(join(root, 'kind/version'), partVersion('kubelet'));
	writeFileSync(join(root, 'kind/manifests/default-storage.yaml'), STORAGE_CLASS);
}

async function writeContainerSettings(root: string, ctr: string, tags: ComponentTags): Promise<void> {
	const spec = JSON.parse(await runProgram([ctr, 'oci', 'spec'])) as {
		hooks?: { createContainer?: unknown[] };
		process: { rlimits?: unknown };
	};
	spec.hooks = { createContainer: [{ path: '/kind/bin/mount-product-files.sh' }] };
	delete spec.process.rlimits;
	writeFileSync(join(root, 'etc/containerd/cri-base.json'), JSON.stringify(spec));
	const file = join(root, 'etc/containerd/config.toml');
	const settings = readFileSync(file, 'utf8')
		// A machine that lacks CAP_SYS_RESOURCE cannot lower it for system pods.
		.replace('restrict_oom_score_adj = false', 'restrict_oom_score_adj = true')
		.replace(/sandbox_image = .*/, `sandbox_image = "${COMPONENT_REPOSITORY}/pause:${tags.pause}"`);
	writeFileSync(file, settings);
}

function cleanUp(root: string): void {
	writeFileSync(join(root, 'etc/machine-id'), '');
	emptyDirectory(join(root, 'var/cache/apt/archives'), /\.deb$/);
	emptyDirectory(join(root, 'var/lib/apt/lists'));
}

function emptyDirectory(path: string, which = /./): void {
	if (!existsSync(path)) return;
	for (const name of readdirSync(path).filter((entry) => which.test(entry)))
		rmSync(join(path, name), { recursive: true, force: true });
}

/** kind wants a default class; volumes that are provisioned are not part of this image. */
const STORAGE_CLASS = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: standard
  annotations:
    storageclass.kubernetes.io/is-default-class: "true"
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
`;
