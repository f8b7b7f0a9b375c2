// Images into the node's own store: nothing is pulled in the cluster.
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { startProgress } from '@kubernaut/workspace/progress';
import { ARCHITECTURES } from '../images/image-archive.ts';
import type { LocalImage } from '../images/node-image.ts';
import { ProgramError } from '../run-program.ts';
import type { KindCluster } from './kind-cluster.ts';

/** From archives. */
export async function loadArchives(cluster: KindCluster, images: readonly LocalImage[]): Promise<void> {
	const progress = startProgress('Loading images into the cluster');
	try {
		for (const { name, archive } of images) {
			progress.update(name);
			await importInto(cluster, createReadStream(archive));
		}
		progress.stop('done');
	} finally {
		progress.stop('failed');
	}
}

/** Images of the Docker engine, all in one go: what they share is sent once. */
export async function loadFromEngine(cluster: KindCluster, names: readonly string[]): Promise<void> {
	const progress = startProgress(`Loading ${names.length} images into the cluster`);
	try {
		const saving = spawn('docker', ['save', ...names], {
			env: cluster.engine.environment,
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		await importInto(cluster, saving.stdout);
		progress.stop('done');
	} finally {
		progress.stop('failed');
	}
}

/** As kind does it, but for one platform: of others an engine may have the name alone (kubernetes-sigs/kind#3795). */
export function importCommand(node: string, arch: NodeJS.Architecture): readonly [string, ...string[]] {
	const flags = [`--platform=linux/${ARCHITECTURES[arch] ?? arch}`, '--digests', '--snapshotter=overlayfs'];
	return ['docker', 'exec', '-i', node, 'ctr', '--namespace=k8s.io', 'images', 'import', ...flags, '-'];
}

function importInto(cluster: KindCluster, archive: NodeJS.ReadableStream): Promise<void> {
	const command = importCommand(cluster.node, process.arch);
	return new Promise((resolve, reject) => {
		const child = spawn(command[0], command.slice(1), {
			env: cluster.engine.environment,
			stdio: ['pipe', 'ignore', 'pipe'],
		});
		let errors = '';
		child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
		child.stdin.on('error', () => {}); // its exit code says why
		archive.on('error', reject);
		archive.pipe(child.stdin);
		child.once('error', reject);
		child.once('close', (code) => {
			if (code === 0) resolve();
			else reject(new ProgramError(command, code ?? 'a signal', errors.trim().split('\n')));
		});
	});
}
