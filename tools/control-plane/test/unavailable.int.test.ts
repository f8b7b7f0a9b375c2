import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeVersionProgram } from './fake-programs.ts';
import { removeWithProcesses, startCli, startScript, temporaryDirectory } from './scripts.ts';

const directory = temporaryDirectory();
const bin = join(directory, 'bin');
mkdirSync(bin);
/** Neither Go nor Docker nor binaries. */
const NOTHING: NodeJS.ProcessEnv = {
	PATH: bin,
	HOME: directory,
	KUBERNAUT_CACHE_DIR: join(directory, 'cache'),
	DOCKER_HOST: 'tcp://127.0.0.1:1',
	// Where an engine answers all the same, at its usual place, it finds nothing to pull.
	KUBERNAUT_K3S_IMAGE: 'kubernaut.invalid/k3s:none',
};
afterAll(() => removeWithProcesses(directory));

describe('without Go, Docker and binaries', () => {
	it('the error lists what was tried and what to install', async () => {
		writeVersionProgram(join(bin, 'etcd'), 'etcd Version: 3.4.23');
		const code = `await controlPlane.startControlPlane().catch((error) => console.log(error.name + ': ' + error.message));`;
		const script = startScript(code, NOTHING);
		expect(await script.exited).toBe(0);
		const lines = script.output().trimEnd().split('\n');
		expect(lines).toEqual([
			'PartUnavailableError: A control plane could not be had here. Tried:',
			'  - PATH and cache: no usable kube-apiserver',
			`  - PATH: ${join(bin, 'etcd')} is 3.4.23, at least 3.6 is needed`,
			'  - PATH and cache: no usable etcd',
			expect.stringMatching(/^ {2}- Docker: /),
			'  - Go: no `go` that works is on PATH',
			'Install one of these:',
			expect.stringMatching(/^ {2}- Go 1\.\d+\.\d+ or later/),
			'  - a Docker engine that can pull images;',
			expect.stringContaining('kube-apiserver 1.35 and etcd 3.6, or later ones, on PATH'),
			'Or name a cluster that is made for tests in KUBERNAUT_TEST_KUBECONFIG.',
		]);
	});

	it('the command says the same, without a stack, and fails', async () => {
		const script = startCli(['up'], NOTHING);
		expect(await script.exited).toBe(1);
		expect(script.errors()).toContain('A control plane could not be had here. Tried:');
		expect(script.errors()).not.toMatch(/^\s+at /m);
		expect(script.output()).toBe('');
		const status = startCli(['status'], NOTHING);
		expect(await status.exited).toBe(0);
		expect(status.output()).toBe('No control plane is running.\n');
	});

	it('a single part that cannot be had says what to do', async () => {
		const script = startCli(['build', 'toxiproxy'], NOTHING);
		expect(await script.exited).toBe(1);
		expect(script.errors()).toContain('toxiproxy could not be had here. Tried:');
		expect(script.errors()).toContain('Install toxiproxy so that it is on PATH, or Go');
	});
});
