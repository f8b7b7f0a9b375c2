// Tekton's images for a cluster: the released ones where a registry has them, else built from its module. Its manifests are of
// the same version in both cases.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { builtPartFiles, partVersion } from '@kubernaut/control-plane';
import { startProgress } from '@kubernaut/workspace/progress';
import type { DockerEngine } from '../engine/docker-engine.ts';
import { runProgram } from '../run-program.ts';
import { buildProgramImages } from './all-images.ts';
import type { LocalImage } from './node-image.ts';
import { buildPrograms } from './programs.ts';
import { TEKTON_COMMANDS, tektonImageName } from './tekton-images.ts';

export type TektonImages = {
	/** One line for people. */
	readonly description: string;
	/** Of a command of Tekton's module. */
	readonly nameOf: (command: string) => string;
	/** A directory with its manifests. */
	readonly config: string;
	/** Images that the engine has. */
	readonly pulled: readonly string[];
	/** Images as files, with those of other programs that the cluster needs. */
	readonly archives: readonly LocalImage[];
};

const MODULE = 'github.com/tektoncd/pipeline/cmd/';
const REGISTRY = 'ghcr.io/tektoncd/pipeline';

/** As Tekton's build tool names the image of a command. */
export function releasedTektonImage(command: string): string {
	const suffix = createHash('md5').update(`${MODULE}${command}`).digest('hex');
	return `${REGISTRY}/${command}-${suffix}:${partVersion('tekton-controller')}`;
}

export async function obtainTektonImages(
	engine: DockerEngine,
	{ released, signal }: { released: boolean; signal?: AbortSignal },
): Promise<TektonImages> {
	const options = signal ? { signal } : {};
	const version = partVersion('tekton-controller');
	const smallest = await buildPrograms(['tekton-nop'], options); // its manifests lie beside it
	const config = join(builtPartFiles(smallest['tekton-nop']), 'config');
	const pulled = released ? await pullReleased(engine, options) : undefined;
	const archives = await buildProgramImages({ ...options, withTekton: pulled === undefined });
	return pulled === undefined
		? { description: `${version}, built from its module`, config, nameOf: tektonImageName, pulled: [], archives }
		: { description: `${version}, released images`, config, nameOf: releasedTektonImage, pulled, archives };
}

/** Undefined when one of them cannot be had. */
async function pullReleased(engine: DockerEngine, options: { signal?: AbortSignal }): Promise<string[] | undefined> {
	const names = Object.values(TEKTON_COMMANDS).map(releasedTektonImage);
	const progress = startProgress("Pulling Tekton's images");
	try {
		for (const name of names) {
			progress.update(name);
			await runProgram(['docker', 'pull', '--quiet', name], { env: engine.environment, ...options });
		}
		progress.stop('done');
		return names;
	} catch {
		options.signal?.throwIfAborted();
		progress.stop('not to be had; they are built instead');
		return undefined;
	}
}
