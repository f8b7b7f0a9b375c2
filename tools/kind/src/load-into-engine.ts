// Images of ours in a Docker engine: loaded from their archives when it lacks them.
import { startProgress } from '@kubernaut/workspace/progress';
import type { DockerEngine } from './engine/docker-engine.ts';
import type { LocalImage } from './images/node-image.ts';
import { runProgram, tryProgram } from './run-program.ts';

export async function loadIntoEngine(engine: DockerEngine, images: readonly LocalImage[]): Promise<void> {
	const env = engine.environment;
	for (const { name, archive } of images) {
		if ((await tryProgram(['docker', 'image', 'inspect', '--format', '{{.Id}}', name], { env })) !== undefined)
			continue;
		const progress = startProgress(`Loading ${name} into the Docker engine`);
		try {
			await runProgram(['docker', 'load', '--input', archive], { env });
			progress.stop('done');
		} finally {
			progress.stop('failed');
		}
	}
}
