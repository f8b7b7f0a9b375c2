// Builds a part from the Go module proxy into the user's cache. The committed go.sum verifies every byte that is
// fetched; the finished binary is keyed by version and recipe, and appears in its place whole or not at all.
// A build ends with the process that wanted it, and leaves nothing behind.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import { startOwnedProcess } from '@kubernaut/workspace/owned-processes';
import { startProgress } from '@kubernaut/workspace/progress';
import { openOwnedDirectory } from '../running/owned-directory.ts';
import { withShownLock } from '../running/with-shown-lock.ts';
import { askGo, goEnvironment } from './go-environment.ts';
import { findGo, goDirective } from './go-toolchain.ts';
import { PARTS, type PartName } from './parts.ts';

export type BuildOptions = {
	environment?: NodeJS.ProcessEnv;
	signal?: AbortSignal;
	/** Where the modules that pin the parts lie. */
	modules?: string;
};
type BuildResult = { path: string } | { problem: string };

export const GO_MODULES = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'go');
const KEPT_ERROR_LINES = 20;
const GO_ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

export function builtBinaryPath(name: PartName, environment?: NodeJS.ProcessEnv, modules = GO_MODULES): string {
	const part = PARTS[name];
	const sources = part.package === '.' ? ['go.mod', 'main.go'] : ['go.mod'];
	const recipe = createHash('sha256')
		.update(sources.map((file) => readFileSync(join(modules, part.directory, file), 'utf8')).join(''))
		.update([...goArguments(name), ...(part.files ?? [])].join(' '))
		.digest('hex')
		.slice(0, 8);
	const directory = `${name}-${part.version}-${process.platform}-${process.arch}-${recipe}`;
	return join(cacheDirectory(environment), 'bin', directory, name);
}

/** What of its module is kept beside a part that was built: `files` of its row. */
export function builtPartFiles(binary: string): string {
	return join(dirname(binary), 'files');
}

/** The oldest Go that builds it. */
export function neededGo(name: PartName): string {
	return goDirective(join(GO_MODULES, PARTS[name].directory));
}

/** One build at a time on this machine: two at once take longer than one after the other. */
export async function buildPart(name: PartName, options: BuildOptions = {}): Promise<BuildResult> {
	const { environment = process.env, signal, modules = GO_MODULES } = options;
	const path = builtBinaryPath(name, environment, modules);
	if (existsSync(path)) return { path }; // without a wait for the builds of others
	const moduleDirectory = join(modules, PARTS[name].directory);
	const aborting = signal && { signal };
	const go = await findGo(moduleDirectory, environment, aborting);
	if ('problem' in go) return go;
	return withShownLock(
		join(cacheDirectory(environment), 'locks', 'build'),
		'another build',
		async () => (existsSync(path) ? { path } : compile(go, name, moduleDirectory, path, { environment, ...aborting })),
		signal,
	);
}

function goArguments(name: PartName): string[] {
	const { package: main, ldflags, tags } = PARTS[name];
	return ['-trimpath', `-ldflags=${['-s -w', ldflags].filter(Boolean).join(' ')}`, `-tags=${tags ?? ''}`, main];
}

async function compile(
	{ go, toolchain }: { go: string; toolchain: string },
	name: PartName,
	moduleDirectory: string,
	path: string,
	{ environment, signal }: { environment: NodeJS.ProcessEnv; signal?: AbortSignal },
): Promise<BuildResult> {
	const { version, module, files } = PARTS[name];
	const env = await goEnvironment(environment);
	const work = await openOwnedDirectory(environment);
	const interrupt = () => void work.close();
	signal?.addEventListener('abort', interrupt);
	const progress = startProgress(`Building ${name} ${version} from source (once; kept in the cache)`);
	try {
		signal?.throwIfAborted();
		const draft = join(work.path, name);
		const inModule = { cwd: moduleDirectory, env: { ...env, ...ourSettings(toolchain, work.path) } };
		const child = startOwnedProcess(work.path, 'go', [go, 'build', '-v', '-o', draft, ...goArguments(name)], {
			...inModule,
			output: 'pipe',
		});
		const { code, errorLines } = await follow(child, progress.update);
		signal?.throwIfAborted();
		progress.stop(code === 0 ? 'done' : 'failed');
		if (code !== 0) return { problem: `Go: building ${name} ${version} failed:\n${errorLines.join('\n')}` };
		mkdirSync(dirname(path), { recursive: true });
		if (files !== undefined) {
			const { text } = await askGo(['list', '-m', '-f', '{{.Dir}}', module], inModule.env, { cwd: moduleDirectory });
			keepFiles(text.trim(), files, builtPartFiles(path));
		}
		renameSync(draft, path); // last: when the program is there, everything is
		return { path };
	} finally {
		progress.stop('interrupted');
		signal?.removeEventListener('abort', interrupt);
		await work.close();
	}
}

/** Written anew: Go's modules are read-only, and a copy of that could not be removed. */
function keepFiles(moduleFiles: string, directories: readonly string[], target: string): void {
	for (const directory of directories)
		for (const entry of readdirSync(join(moduleFiles, directory), { recursive: true, withFileTypes: true })) {
			if (!entry.isFile()) continue;
			const source = join(entry.parentPath, entry.name);
			const copy = join(target, relative(moduleFiles, source));
			mkdirSync(dirname(copy), { recursive: true });
			writeFileSync(copy, readFileSync(source));
		}
}

function ourSettings(toolchain: string, temporaryDirectory: string): NodeJS.ProcessEnv {
	return {
		CGO_ENABLED: '0',
		GOOS: process.platform,
		GOARCH: GO_ARCHITECTURES[process.arch] ?? process.arch,
		GOFLAGS: '-mod=readonly -buildvcs=false', // readonly: a sum that is not in go.sum fails
		GOTOOLCHAIN: toolchain,
		GOTMPDIR: temporaryDirectory, // Go leaves its own behind when it is killed
	};
}

/** `go build -v` names each package that it compiles; everything else that it says is worth keeping. */
function follow(
	child: ReturnType<typeof startOwnedProcess>,
	onProgress: (detail: string) => void,
): Promise<{ code: number; errorLines: string[] }> {
	const errorLines: string[] = [];
	let compiled = 0;
	child.stdout?.resume();
	const lines = createInterface({ input: child.stderr! });
	lines.on('line', (line) => {
		if (line.startsWith('go: downloading ')) return onProgress(line.replace('go: ', ''));
		if (/^[\w.~/-]+$/.test(line)) return onProgress(`${++compiled} packages compiled`);
		errorLines.push(line);
		if (errorLines.length > KEPT_ERROR_LINES) errorLines.shift();
	});
	const read = new Promise((resolve) => lines.once('close', resolve));
	return new Promise((resolve) => {
		child.once('error', (error) => resolve({ code: 1, errorLines: [error.message] }));
		child.once('close', (code) => void read.then(() => resolve({ code: code ?? 1, errorLines })));
	});
}
