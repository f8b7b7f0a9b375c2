// Finds a Go that can build a module, or says in a sentence why there is none.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgress } from '@kubernaut/workspace/progress';
import { askGo, goEnvironment } from './go-environment.ts';
import { isOlder, versionIn } from './version.ts';

/** `toolchain`: the GOTOOLCHAIN to build with. */
export type GoSearch = { go: string; toolchain: string } | { problem: string };
type GoSearchOptions = { fetchLimitMs?: number; signal?: AbortSignal };

// Before 1.21 Go knew no toolchains, so it can neither be asked for one nor fetch one.
const FIRST_WITH_TOOLCHAINS = '1.21';
// About 100 MB: this only ends a download that hangs.
const FETCH_LIMIT_MS = 15 * 60_000;

/** An older Go may fetch the needed one; that takes minutes the first time. */
export async function findGo(
	moduleDirectory: string,
	environment: NodeJS.ProcessEnv = process.env,
	options: GoSearchOptions = {},
): Promise<GoSearch> {
	const needed = goDirective(moduleDirectory);
	const own = await askGo(['version'], { ...environment, GOTOOLCHAIN: 'local', GOWORK: 'off' });
	const local = versionIn(own.text);
	if (local === undefined) return { problem: 'Go: no `go` that works is on PATH' };
	if (!isOlder(local, needed)) return { go: 'go', toolchain: 'local' };

	const older = `Go: ${local} is on PATH, ${needed} or later is needed`;
	if (isOlder(local, FIRST_WITH_TOOLCHAINS)) return { problem: older };
	const toolchain = (await askGo(['env', 'GOTOOLCHAIN'], environment)).text.trim();
	if (toolchain === 'local') return { problem: `${older}, and GOTOOLCHAIN=local forbids fetching it` };
	const failure = await fetchToolchain(toolchain, needed, moduleDirectory, environment, options);
	return failure === undefined ? { go: 'go', toolchain } : { problem: `${older}, and ${failure}` };
}

export function goDirective(moduleDirectory: string): string {
	const directive = /^go (\S+)$/m.exec(readFileSync(join(moduleDirectory, 'go.mod'), 'utf8'))?.[1];
	if (directive === undefined) throw new Error(`${moduleDirectory}/go.mod has no go line`);
	return directive;
}

/** In a module, Go fetches what that module needs before it answers anything. Undefined when it has it. */
async function fetchToolchain(
	toolchain: string,
	needed: string,
	cwd: string,
	environment: NodeJS.ProcessEnv,
	{ fetchLimitMs: timeout = FETCH_LIMIT_MS, signal }: GoSearchOptions,
): Promise<string | undefined> {
	const env = { ...(await goEnvironment(environment)), GOTOOLCHAIN: toolchain };
	const progress = startProgress(`Fetching Go ${needed} or later`);
	const { text, timedOut } = await askGo(['version'], env, { cwd, timeout, ...(signal && { signal }) });
	const fetched = versionIn(text);
	const isThere = fetched !== undefined && !isOlder(fetched, needed);
	progress.stop(isThere ? 'done' : 'failed');
	signal?.throwIfAborted();
	if (isThere) return undefined;
	const within = timedOut ? ` within ${Math.round(timeout / 60_000)} minutes` : '';
	return `with GOTOOLCHAIN=${toolchain} Go did not get it${within}`;
}
