// A Docker engine: the one that answers, or one of our own for the run.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import { tryProgram } from '../run-program.ts';
import { ownEngineProblem, startOwnEngine } from './own-engine.ts';

export type DockerEngine = {
	/** One line for people. */
	readonly description: string;
	/** Started for this run: it ends with it. */
	readonly isOwn: boolean;
	/** For programs that use it. */
	readonly environment: NodeJS.ProcessEnv;
	/** Only an engine of our own is stopped, and what it changed on the host put back. */
	stop(): Promise<void>;
};

export class NoEngineError extends Error {
	override readonly name = 'NoEngineError';
}

export function ownEngineDirectory(environment: NodeJS.ProcessEnv = process.env): string {
	return join(cacheDirectory(environment), 'kind', 'engine');
}

export async function obtainEngine(options: { signal?: AbortSignal } = {}): Promise<DockerEngine> {
	const found = await findEngine();
	if (found !== undefined) return found;
	const problem = ownEngineProblem();
	if (problem !== undefined)
		throw new NoEngineError(
			`No Docker engine answers, and none can be started here: ${problem}.\nInstall one (Docker Engine 20.10 or later, or Docker Desktop) and start it, or name one in DOCKER_HOST, then run this again.`,
		);
	return startOwnEngine(ownEngineDirectory(), options);
}

/** DOCKER_HOST, the usual socket, or one that another run of ours keeps up. */
export async function findEngine(): Promise<DockerEngine | undefined> {
	const own = join(ownEngineDirectory(), 'docker.sock');
	const named = process.env['DOCKER_HOST'];
	const candidates = [
		{ where: named ? `the Docker engine at ${named}` : 'the Docker engine of this machine', host: named },
		...(existsSync(own) ? [{ where: 'the Docker engine of another run', host: `unix://${own}` }] : []),
	];
	for (const { where, host } of candidates) {
		const environment = { ...process.env, ...(host && { DOCKER_HOST: host }) };
		const version = await tryProgram(['docker', 'version', '--format', '{{.Server.Version}}'], { env: environment });
		if (version)
			return { description: `${where}, version ${version}`, isOwn: false, environment, stop: async () => {} };
	}
	return undefined;
}
