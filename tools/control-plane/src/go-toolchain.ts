// Finds a Go that can build a module, or says in a sentence why there is none.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOlder, versionIn } from './version.ts';

/** `toolchain`: the GOTOOLCHAIN to build with. */
export type GoSearch = { go: string; toolchain: string } | { problem: string };

// Before 1.21 Go knew no toolchains, so it can neither be asked for one nor fetch one.
const FIRST_WITH_TOOLCHAINS = '1.21';

export function findGo(moduleDirectory: string, environment: NodeJS.ProcessEnv = process.env): GoSearch {
	const needed = goDirective(moduleDirectory);
	const local = versionIn(ask(['version'], { ...environment, GOTOOLCHAIN: 'local', GOWORK: 'off' }));
	if (local === undefined) return { problem: 'Go: no `go` that works is on PATH' };
	if (!isOlder(local, needed)) return { go: 'go', toolchain: 'local' };

	const older = `Go: ${local} is on PATH, ${needed} or later is needed`;
	if (isOlder(local, FIRST_WITH_TOOLCHAINS)) return { problem: older };
	const toolchain = ask(['env', 'GOTOOLCHAIN'], environment).trim();
	if (toolchain === 'local') return { problem: `${older}, and GOTOOLCHAIN=local forbids fetching it` };
	const fetched = versionIn(ask(['version'], { ...environment, GOWORK: 'off' }, moduleDirectory));
	return fetched !== undefined && !isOlder(fetched, needed)
		? { go: 'go', toolchain }
		: { problem: `${older}, and with GOTOOLCHAIN=${toolchain} Go did not get it` };
}

export function goDirective(moduleDirectory: string): string {
	const directive = /^go (\S+)$/m.exec(readFileSync(join(moduleDirectory, 'go.mod'), 'utf8'))?.[1];
	if (directive === undefined) throw new Error(`${moduleDirectory}/go.mod has no go line`);
	return directive;
}

function ask(args: string[], env: NodeJS.ProcessEnv, cwd?: string): string {
	return spawnSync('go', args, { encoding: 'utf8', env, ...(cwd ? { cwd } : {}) }).stdout ?? '';
}
