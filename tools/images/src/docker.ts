// The Docker engine at hand, through the `docker` command: it knows DOCKER_HOST, contexts and credentials.
import { spawn } from 'node:child_process';
import { startProgress } from '@kubernaut/workspace/progress';

const KEPT_LINES = 30;

export class DockerError extends Error {
	override readonly name = 'DockerError';
}

export type DockerOptions = {
	/** Says what is waited for, when it takes long. */
	readonly waitingFor?: string;
	/** Bytes for its standard input. */
	readonly input?: NodeJS.ReadableStream;
	readonly signal?: AbortSignal;
};

/** Its standard output. A failure is an error with the last lines that it wrote. */
export async function docker(args: readonly string[], options: DockerOptions = {}): Promise<string> {
	const progress = options.waitingFor === undefined ? undefined : startProgress(options.waitingFor);
	try {
		const text = await run(args, options);
		progress?.stop('done');
		return text;
	} finally {
		progress?.stop(options.signal?.aborted ? 'interrupted' : 'failed');
	}
}

/** Its version; an error that says what to install when there is none. */
export async function engineVersion(): Promise<string> {
	try {
		return (await docker(['version', '--format', '{{.Server.Version}}'])).trim();
	} catch (error) {
		const where = process.env['DOCKER_HOST'] ?? 'its usual place';
		const reason = error instanceof Error ? error.message : String(error);
		throw new DockerError(
			`No Docker engine answers at ${where}: ${reason}\n` +
				'Install one and start it (Debian: apt-get install docker.io), or name the address of another in DOCKER_HOST.',
		);
	}
}

function run(args: readonly string[], { input, signal }: DockerOptions): Promise<string> {
	const { promise, resolve, reject } = Promise.withResolvers<string>();
	const child = spawn('docker', args, { stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'], signal });
	let output = '';
	let errors = '';
	child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
	child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
	if (input !== undefined && child.stdin !== null) input.pipe(child.stdin);
	child.on('error', (error: NodeJS.ErrnoException) =>
		reject(error.code === 'ENOENT' ? new DockerError('there is no `docker` command on PATH') : error),
	);
	child.on('close', (code) => {
		if (code === 0) resolve(output);
		else reject(new DockerError(lastLines(`${output}\n${errors}`) || `docker ${args[0]} ended with ${code}`));
	});
	return promise;
}

function lastLines(text: string): string {
	return text.trim().split('\n').slice(-KEPT_LINES).join('\n');
}
