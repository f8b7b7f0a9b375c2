// Puts images into the store of a node that does not run yet, with its own containerd on a socket of ours.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openOwnedDirectory } from '@kubernaut/control-plane';
import { startOwnedProcess } from '@kubernaut/workspace/owned-processes';
import { runProgram, tryProgram } from '../run-program.ts';
import type { NodePrograms } from './programs.ts';

const READY_TRIES = 100;
const POLL_MS = 100;
const PLUGINS_LEFT_OUT = [
	'io.containerd.grpc.v1.cri',
	'io.containerd.cri.v1.images',
	'io.containerd.cri.v1.runtime',
	'io.containerd.nri.v1.nri',
];

export async function preloadImages(
	archives: readonly string[],
	{ containerd, ctr }: Pick<NodePrograms, 'containerd' | 'ctr'>,
	root: string,
	work: string,
): Promise<void> {
	const store = join(root, 'var/lib/containerd');
	rmSync(store, { recursive: true, force: true });
	mkdirSync(store, { recursive: true });
	const settings = join(work, 'containerd.toml');
	writeFileSync(settings, `version = 3\ndisabled_plugins = ${JSON.stringify(PLUGINS_LEFT_OUT)}\n`);
	const running = await openOwnedDirectory();
	const socket = join(running.path, 'c.sock');
	try {
		startOwnedProcess(running.path, 'containerd', [
			containerd,
			`--config=${settings}`,
			`--root=${store}`,
			`--state=${join(running.path, 'state')}`,
			`--address=${socket}`,
		]);
		for (let tries = 1; (await tryProgram([ctr, `--address=${socket}`, 'version'])) === undefined; tries++) {
			if (tries === READY_TRIES) throw new Error('containerd, which puts images into the node, did not start');
			await delay(POLL_MS);
		}
		const importing = [
			'images',
			'import',
			'--label=io.cri-containerd.pinned=pinned',
			'--all-platforms',
			'--digests',
			'--no-unpack',
		];
		for (const archive of archives)
			await runProgram([ctr, `--address=${socket}`, '--namespace=k8s.io', ...importing, archive]);
	} finally {
		await running.close();
	}
}
