// The images of one run, in the Docker engine: the apps, the receivers, and the apps of the version before this one.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage, LOCAL_BASE_IMAGE, LOCAL_REGISTRY, localName } from '@kubernaut/images';
import { type DockerEngine, type LocalImages, runProgram } from '@kubernaut/kind';
import { APPS } from '@kubernaut/testkit/app-process';
import { PREVIOUS_TAG, type PreviousVersion } from '../harness/environment.ts';
import { buildReceiversImage, RECEIVERS_IMAGE } from './receivers-image.ts';

export type RunImages = { readonly all: readonly string[]; readonly base: string; readonly busybox: string };

const ROOT = join(import.meta.dirname, '..', '..');
/** With a registry: Node and a shell in one. The Dockerfile's default by its tag: what is loaded into a node has no digest there. */
export const REGISTRY_BASE_IMAGE = 'node:22.23.2-bookworm-slim';

export async function buildRunImages(
	engine: DockerEngine,
	local: LocalImages | undefined,
	previousFile: string | undefined,
	signal: AbortSignal,
): Promise<RunImages> {
	const env = engine.environment;
	const base = local ? LOCAL_BASE_IMAGE : REGISTRY_BASE_IMAGE;
	await runHere(['tools/images/src/cli.ts', ...(local ? ['--local-base'] : [])], env, signal);
	if (!local) await runProgram(['docker', 'pull', base], { env, signal });
	await buildReceiversImage(engine, base);
	const apps = APPS.map((app) => localName(`${app}:dev`));
	const previous = previousFile === undefined ? [] : await buildPrevious(previousFile, base, signal);
	return {
		all: [...apps, ...previous, RECEIVERS_IMAGE, base],
		base,
		busybox: local ? local.busybox.name : base,
	};
}

/** Their bundles as that version made them, with its own Dockerfile if it had one. */
async function buildPrevious(file: string, baseImage: string, signal: AbortSignal): Promise<string[]> {
	const { directory } = JSON.parse(readFileSync(file, 'utf8')) as PreviousVersion;
	const context = mkdtempSync(join(tmpdir(), 'kubernaut-previous-'));
	try {
		const root = existsSync(join(directory, 'deploy', 'docker')) ? directory : ROOT;
		const names: string[] = [];
		for (const app of APPS) {
			mkdirSync(join(context, app));
			cpSync(join(directory, 'apps', app, 'dist', 'main.mjs'), join(context, app, 'main.mjs'));
			const options = { root, context, prefix: LOCAL_REGISTRY, tag: PREVIOUS_TAG, baseImage, signal };
			names.push((await buildImage(app, options)).name);
		}
		return names;
	} finally {
		rmSync(context, { recursive: true, force: true });
	}
}

function runHere(args: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const child = spawn(process.execPath, [...args], { cwd: ROOT, env, signal, stdio: 'inherit' });
		child.once('error', reject);
		child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${args[0]} ended with ${code}`))));
	});
}
