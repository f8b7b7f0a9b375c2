// One image with the Docker engine at hand, from what was staged.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { docker } from './docker.ts';
import type { AppName } from './stage-app.ts';

export type ImageOptions = {
	readonly root: string;
	readonly context: string;
	/** Before the name: a registry with its path, or `LOCAL_REGISTRY`. */
	readonly prefix: string;
	readonly tag: string;
	/** Without one the Dockerfile's own. */
	readonly baseImage?: string | undefined;
	readonly signal?: AbortSignal;
};

export type BuiltImage = { readonly app: AppName; readonly name: string; readonly bytes: number };

export async function buildImage(app: AppName, options: ImageOptions): Promise<BuiltImage> {
	const { root, context, prefix, tag, baseImage, signal } = options;
	const name = `${prefix}/${app}:${tag}`;
	const args = {
		APP: app,
		VERSION: tag,
		REVISION: git(root, ['rev-parse', 'HEAD']),
		CREATED: git(root, ['show', '-s', '--format=%cI', 'HEAD']),
		...(baseImage === undefined ? {} : { BASE_IMAGE: baseImage }),
	};
	const flags = Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
	const file = join(root, 'deploy', 'docker', 'Dockerfile');
	await docker(['build', '--force-rm', ...flags, '--file', file, '--tag', name, context], {
		waitingFor: `Building ${name}`,
		...(signal && { signal }),
	});
	const bytes = Number(await docker(['image', 'inspect', '--format', '{{.Size}}', name]));
	return { app, name, bytes };
}

/** The digest under which the registry keeps it. */
export async function pushImage({ name }: BuiltImage, signal?: AbortSignal): Promise<string> {
	await docker(['push', name], { waitingFor: `Pushing ${name}`, ...(signal && { signal }) });
	const repository = name.slice(0, name.lastIndexOf(':'));
	const digests = JSON.parse(await docker(['image', 'inspect', '--format', '{{json .RepoDigests}}', name])) as string[];
	const digest = digests.find((one) => one.startsWith(`${repository}@`))?.slice(repository.length + 1);
	if (digest === undefined) throw new Error(`${name} was pushed, but the engine does not say its digest`);
	return digest;
}

function git(root: string, args: readonly string[]): string {
	try {
		return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
	} catch {
		return 'unknown'; // an unpacked archive
	}
}
