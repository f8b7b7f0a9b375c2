// With a stand-in for Go: what we ask of it, and what is left when it fails or its owner is gone. That the real one
// builds and verifies: test/build.int.test.ts.
import {
	chmodSync,
	existsSync,
	globSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeProgram } from '../../test/fake-programs.ts';
import { processesNaming, startScript } from '../../test/scripts.ts';
import { buildPart, builtBinaryPath, builtPartFiles } from './build-part.ts';

let directory: string;
let environment: NodeJS.ProcessEnv;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), 'build-part-'));
	environment = {
		PATH: `${join(directory, 'bin')}:${process.env['PATH']}`,
		KUBERNAUT_CACHE_DIR: join(directory, 'cache'),
	};
});
afterEach(() => rmSync(directory, { recursive: true }));

/** `$out` is where the result is wanted. Each build leaves a line in the file `builds`. */
function installGo(build: string): void {
	writeProgram(
		join(directory, 'bin', 'go'),
		`if [ "$1" = version ]; then echo "go version go1.99.0 linux/amd64"; exit; fi
		if [ "$1" = env ]; then shift; for name; do eval "echo \\"\\$$name\\""; done; exit; fi
		if [ "$1" = list ]; then echo ${directory}/module; exit; fi
		echo "$PWD $*" >> ${directory}/builds
		env > ${directory}/environment
		while [ "$1" != -o ]; do shift; done
		out=$2
		${build}`,
	);
}

const BUILD = 'echo binary > "$out"; chmod +x "$out"';
const builds = () => readFileSync(join(directory, 'builds'), 'utf8').trimEnd().split('\n');
/** Everything in the cache but the finished binaries. */
const leftovers = () =>
	readdirSync(join(directory, 'cache'), { recursive: true, withFileTypes: true })
		.filter((entry) => !entry.isDirectory() && !entry.parentPath.includes('/bin/'))
		.map(({ parentPath, name }) => join(parentPath, name));

it('puts the binary in its place, once, and leaves nothing else', async () => {
	installGo(BUILD);
	const path = builtBinaryPath('toxiproxy', environment);
	expect(await buildPart('toxiproxy', { environment })).toEqual({ path });
	expect(await buildPart('toxiproxy', { environment })).toEqual({ path });
	expect(readFileSync(path, 'utf8')).toBe('binary\n');
	expect(builds()).toHaveLength(1);
	expect(builds()[0]).toMatch(/go\/toxiproxy build .*-trimpath .*github\.com\/Shopify\/toxiproxy\/v2\/cmd\/server$/);
	expect(leftovers()).toEqual([]);
});

it('keeps files of the module beside the program when its row asks for them', async () => {
	installGo(BUILD);
	const kept = join(directory, 'module', 'config', '300-crds');
	mkdirSync(kept, { recursive: true });
	writeFileSync(join(kept, 'a.yaml'), 'kind: A\n', { mode: 0o444 });
	chmodSync(kept, 0o555); // as Go keeps its modules
	const path = builtBinaryPath('tekton-controller', environment);
	expect(await buildPart('tekton-controller', { environment })).toEqual({ path });
	const files = builtPartFiles(path);
	expect(readFileSync(join(files, 'config', '300-crds', 'a.yaml'), 'utf8')).toBe('kind: A\n');
	writeFileSync(join(files, 'config', '300-crds', 'b.yaml'), ''); // ours, to change and to remove
	chmodSync(kept, 0o755);
});

/** What Go was given, of its own settings. */
function seenByGo(): Record<string, string> {
	const lines = readFileSync(join(directory, 'environment'), 'utf8').split('\n');
	return Object.fromEntries(
		lines.filter((line) => /^C?GO/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
	);
}

it('does not let the user’s settings for other builds into ours', async () => {
	installGo(BUILD);
	Object.assign(environment, {
		CGO_ENABLED: '1',
		GO111MODULE: 'off',
		GOAMD64: 'v4',
		GOARCH: 'mips',
		GOARM64: 'v9.5',
		GOENV: '/theirs',
		GOEXPERIMENT: 'rangefunc',
		GOFLAGS: '-mod=mod',
		GOOS: 'plan9',
		GOROOT: '/theirs',
		GOTOOLCHAIN: 'go1.20',
		GOWORK: '/theirs',
		GO_OF_THE_FUTURE: 'no setting of Go has this form',
		GOFUTURE: 'every one has this',
	});
	await buildPart('toxiproxy', { environment });
	expect(seenByGo()).toEqual({
		CGO_ENABLED: '0',
		GOARCH: expect.not.stringMatching('mips'),
		GOENV: 'off',
		GOFLAGS: '-mod=readonly -buildvcs=false',
		GOOS: process.platform,
		GOTMPDIR: expect.stringContaining(directory),
		GOTOOLCHAIN: 'local',
		GOWORK: 'off',
		GO_OF_THE_FUTURE: environment['GO_OF_THE_FUTURE'],
	});
});

it('takes modules from where the user does, and keeps them where he does', async () => {
	installGo(BUILD);
	const theirs = {
		GOPROXY: 'https://proxy.example',
		GOPRIVATE: 'example.org',
		GONOSUMDB: 'example.org',
		GOSUMDB: 'sum.example',
		GOCACHE: '/theirs/build',
		GOMODCACHE: '/theirs/modules',
		HTTPS_PROXY: 'http://proxy.example',
	};
	await buildPart('toxiproxy', { environment: { ...environment, ...theirs } });
	const { HTTPS_PROXY, ...settings } = theirs;
	expect(seenByGo()).toMatchObject(settings);
	expect(readFileSync(join(directory, 'environment'), 'utf8')).toContain(`HTTPS_PROXY=${HTTPS_PROXY}`);
});

describe('a build that fails', () => {
	it('is a problem with Go’s own words, without the list of what it compiled', async () => {
		installGo('echo "internal/abi" >&2; echo "# example.org/broken" >&2; echo "x.go:1:2: undefined: y" >&2; exit 1');
		expect(await buildPart('toxiproxy', { environment })).toEqual({
			problem: 'Go: building toxiproxy v2.12.0 failed:\n# example.org/broken\nx.go:1:2: undefined: y',
		});
		expect(leftovers()).toEqual([]);
	});

	it('leaves nothing that a later search would take for the binary', async () => {
		installGo('echo half > "$out"; exit 1');
		await buildPart('toxiproxy', { environment });
		expect(existsSync(builtBinaryPath('toxiproxy', environment))).toBe(false);
		installGo(BUILD);
		expect(await buildPart('toxiproxy', { environment })).toHaveProperty('path');
	});

	it('because there is no Go is a problem too', async () => {
		environment['PATH'] = directory;
		expect(await buildPart('toxiproxy', { environment })).toEqual({ problem: 'Go: no `go` that works is on PATH' });
	});
});

// A compiler that runs below Go and would go on without it.
const ENDLESS = 'sleep 1000 & wait';

describe('a build that is interrupted', () => {
	it('by its owner ends Go and what runs below it', async () => {
		installGo(ENDLESS);
		const controller = new AbortController();
		const building = buildPart('toxiproxy', { environment, signal: controller.signal });
		await expect.poll(() => existsSync(join(directory, 'builds'))).toBe(true);
		controller.abort();
		await expect(building).rejects.toMatchObject({ name: 'AbortError' });
		await expect.poll(() => processesNaming(directory)).toEqual([]);
		expect(leftovers()).toEqual([]);
	});

	it('by the end of its owner ends as well, and the next build does not wait for it', async () => {
		installGo(ENDLESS);
		const owner = startScript(`await controlPlane.obtainPart('toxiproxy');`, environment);
		await expect.poll(() => existsSync(join(directory, 'builds'))).toBe(true);
		// Go may be at work before its owner has written down that it started it.
		await expect.poll(() => globSync(join(directory, 'cache/running/*/processes/*.json'))).not.toEqual([]);
		owner.child.kill('SIGKILL');
		await owner.exited;
		await expect.poll(() => processesNaming(directory)).toEqual([]);
		await expect.poll(() => readdirSync(join(directory, 'cache', 'running'))).toEqual([]);
		installGo(BUILD);
		expect(await buildPart('toxiproxy', { environment })).toHaveProperty('path');
		expect(leftovers()).toEqual([]);
	});
});

it('two processes that want the same at once compile it once', async () => {
	installGo(`while [ ! -e ${directory}/go-on ]; do sleep 0.05; done; ${BUILD}`);
	const code = `console.log(await controlPlane.obtainPart('toxiproxy'));`;
	const scripts = [startScript(code, environment), startScript(code, environment)];
	const said = () => scripts.map((script) => script.errors()).join('');
	await expect.poll(said).toMatch(/^Waiting for another build \(process \d+\) \(\d+ s\)$/m);
	writeFileSync(join(directory, 'go-on'), '');
	expect(await Promise.all(scripts.map(({ exited }) => exited))).toEqual([0, 0]);
	for (const script of scripts) expect(script.output().trim()).toBe(builtBinaryPath('toxiproxy', environment));
	expect(builds()).toHaveLength(1);
});
