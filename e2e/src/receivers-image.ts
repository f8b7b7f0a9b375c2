// The image of the receivers: one file on the base image of the apps.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localName } from '@kubernaut/images';
import { type DockerEngine, runProgram } from '@kubernaut/kind';
import { build } from 'esbuild';

export const RECEIVERS_IMAGE = localName('e2e-receivers:dev');
const MAIN = join(import.meta.dirname, '..', '..', 'tools', 'receivers', 'src', 'main.ts');

export async function buildReceiversImage(engine: DockerEngine, baseImage: string): Promise<void> {
	const context = mkdtempSync(join(tmpdir(), 'kubernaut-receivers-image-'));
	try {
		await build({
			entryPoints: [MAIN],
			outfile: join(context, 'receivers.mjs'),
			bundle: true,
			platform: 'node',
			format: 'esm',
			target: 'node22',
			// What is CommonJS among the packages asks for Node's own modules with `require`.
			banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
			logLevel: 'silent',
		});
		const lines = [
			`FROM ${baseImage}`,
			'COPY receivers.mjs /app/receivers.mjs',
			'USER 10001:10001',
			'ENTRYPOINT ["/usr/local/bin/node", "/app/receivers.mjs"]',
		];
		writeFileSync(join(context, 'Dockerfile'), lines.join('\n'));
		const env = engine.environment;
		await runProgram(['docker', 'build', '--quiet', '--tag', RECEIVERS_IMAGE, context], { env });
	} finally {
		rmSync(context, { recursive: true, force: true });
	}
}
