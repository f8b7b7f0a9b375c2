// `npm run e2e:node-image`: a cluster's images without pulling one.
import { makeBaseImage } from '@kubernaut/images';
import { Command } from 'commander';
import { NoEngineError, obtainEngine } from './engine/docker-engine.ts';
import { buildLocalImages, buildProgramImages } from './images/all-images.ts';
import { describeOutcome, onInterrupt } from './interrupt.ts';
import { loadIntoEngine } from './load-into-engine.ts';

const HELP = `
For machines that can pull no container image. Builds, from the Go module proxy and Debian's packages:
  a node image for kind, the base image of the apps, Tekton's images, a busybox, an Alertmanager.
Needs root on a Linux, Go 1.26 or later, and Debian's mmdebstrap (installed by apt when it is missing).
The first time takes about a quarter of an hour on two idle cores; what is done is kept in the cache, and a run that was
interrupted goes on where it was. \`npm run e2e\` then uses these images.`;

const program = new Command('npm run e2e:node-image --')
	.description('Build the images that `npm run e2e` needs, without pulling any.')
	.option('--engine', 'only start a Docker engine, as the run would, and keep it up until Ctrl-C')
	.addHelpText('after', HELP)
	.parse();

const interrupt = onInterrupt();
try {
	if (process.platform !== 'linux' || process.getuid?.() !== 0)
		throw new NoEngineError('This builds file systems with devices and owners: run it as root on Linux.');
	if (program.opts()['engine']) {
		const engine = await obtainEngine({ signal: interrupt });
		console.log(`Up: ${engine.description}. DOCKER_HOST=${engine.environment['DOCKER_HOST'] ?? ''}  Ctrl-C ends it.`);
		const staying = setInterval(() => {}, 60_000); // a promise alone does not keep a process
		await new Promise((resolve) => interrupt.addEventListener('abort', resolve, { once: true }));
		clearInterval(staying);
		await engine.stop();
	} else {
		const images = await buildLocalImages({ signal: interrupt });
		await buildProgramImages({ signal: interrupt });
		const engine = await obtainEngine({ signal: interrupt });
		try {
			await loadIntoEngine(engine, [images.node]);
			Object.assign(process.env, engine.environment);
			const base = await makeBaseImage(interrupt);
			console.log(`Ready: ${images.node.name} and ${base}. Next: npm run e2e`);
		} finally {
			await engine.stop();
		}
	}
} catch (error) {
	process.exitCode = describeOutcome(error, interrupt);
}
