// With the real Go and the real module proxy (or what of it is in Go's cache).
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { buildPart, builtBinaryPath, GO_MODULES } from '../src/parts/build-part.ts';
import { goEnvironment } from '../src/parts/go-environment.ts';
import { PARTS } from '../src/parts/parts.ts';
import { writeProgram } from './fake-programs.ts';
import { removeWithProcesses, startScript, temporaryDirectory } from './scripts.ts';

vi.setConfig({ testTimeout: 600_000 });

const { module, version } = PARTS.toxiproxy;
const directory = temporaryDirectory();
afterAll(() => removeWithProcesses(directory));
const userSettings = await goEnvironment(process.env);

/** An empty cache of ours; Go's own is the user's, who has set up Go (`go env -w`) in a way that would fail our builds. */
function emptyCache(name: string): NodeJS.ProcessEnv {
	const { GOPROXY, GOMODCACHE, GOCACHE } = userSettings;
	const GOENV = join(directory, 'go-env');
	writeFileSync(GOENV, `GO111MODULE=off\nGOPROXY=${GOPROXY}\nGOMODCACHE=${GOMODCACHE}\nGOCACHE=${GOCACHE}\n`);
	const environment: NodeJS.ProcessEnv = { ...process.env, GOENV, KUBERNAUT_CACHE_DIR: join(directory, name) };
	delete environment['KUBEBUILDER_ASSETS'];
	return environment;
}

describe('what go.sum does not vouch for is not built:', () => {
	it.each([
		{
			what: 'a module that has another checksum',
			change: (sums: string) =>
				sums.replace(
					new RegExp(`(${module} ${version} h1:)(.)`),
					(_, head: string, first: string) => head + (first === 'A' ? 'B' : 'A'),
				),
			want: /checksum mismatch/,
		},
		{
			what: 'a module that has none',
			change: (sums: string) => sums.replace(new RegExp(`^${module} ${version} h1:.*\n`, 'm'), ''),
			want: /missing go\.sum entry/,
		},
	])('$what', async ({ what, change, want }) => {
		const modules = join(directory, `modules of ${what}`);
		cpSync(join(GO_MODULES, 'toxiproxy'), join(modules, 'toxiproxy'), { recursive: true });
		const sumFile = join(modules, 'toxiproxy', 'go.sum');
		const sums = readFileSync(sumFile, 'utf8');
		writeFileSync(sumFile, change(sums));
		expect(readFileSync(sumFile, 'utf8')).not.toBe(sums);
		const environment = emptyCache(what);
		const result = await buildPart('toxiproxy', { environment, modules });
		expect(result).toEqual({ problem: expect.stringMatching(want) });
		expect(existsSync(builtBinaryPath('toxiproxy', environment, modules))).toBe(false);
	});
});

it('two processes that want the same at once both get it, compiled once, and it runs', async () => {
	const environment = emptyCache('two at once');
	const builds = join(directory, 'builds');
	const realGo = spawnSync('sh', ['-c', 'command -v go'], { encoding: 'utf8' }).stdout.trim();
	writeProgram(join(directory, 'bin', 'go'), `[ "$1" = build ] && echo build >> '${builds}'\nexec '${realGo}' "$@"`);
	environment['PATH'] = `${join(directory, 'bin')}:${environment['PATH']}`;
	const code = `
		const part = await controlPlane.startPart('toxiproxy');
		console.log(await (await fetch(part.url + '/version')).text());
		await part.stop();`;
	const scripts = [startScript(code, environment), startScript(code, environment)];
	expect(await Promise.all(scripts.map(({ exited }) => exited)), scripts.map((s) => s.errors()).join()).toEqual([0, 0]);
	for (const script of scripts) expect(script.output()).toContain(version.replace('v', ''));
	expect(readFileSync(builds, 'utf8')).toBe('build\n');
});
