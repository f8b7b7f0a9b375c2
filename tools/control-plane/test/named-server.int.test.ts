import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type ControlPlane, KubeApi, startControlPlane } from '../src/index.ts';
import { environmentWithBinaries, removeWithProcesses, startScript, temporaryDirectory } from './scripts.ts';

const cache = temporaryDirectory();
let environment: NodeJS.ProcessEnv;
let theirs: ControlPlane;
beforeAll(async () => {
	environment = await environmentWithBinaries(cache);
	theirs = await startControlPlane({ environment });
});
afterAll(() => removeWithProcesses(cache));

describe('KUBERNAUT_TEST_KUBECONFIG', () => {
	it('is used, and its server is left alone by stop', async () => {
		const named = { ...environment, KUBERNAUT_TEST_KUBECONFIG: theirs.kubeconfigPath };
		const controlPlane = await startControlPlane({ environment: named, auditLog: true });
		expect(controlPlane).toMatchObject({
			source: 'kubeconfig',
			version: theirs.version,
			url: theirs.url,
			kubeconfigPath: theirs.kubeconfigPath,
			directory: undefined,
			auditLog: undefined,
		});
		await controlPlane.stop();
		const api = KubeApi.fromFile(theirs.kubeconfigPath);
		expect(await api.send('GET', '/readyz')).toMatchObject({ status: 200 });
		await api.close();
	});

	it('gives way to a kubeconfig that the caller names', async () => {
		const named = { ...environment, KUBERNAUT_TEST_KUBECONFIG: '/nowhere' };
		const controlPlane = await startControlPlane({ environment: named, kubeconfig: theirs.kubeconfigPath });
		expect(controlPlane.url).toBe(theirs.url);
	});

	it('of a server that is too old is refused with the reason', async () => {
		const old = await startControlPlane({ environment, apiServerArgs: ['--emulated-version=1.34'] });
		await expect(startControlPlane({ environment, kubeconfig: old.kubeconfigPath })).rejects.toThrow(
			/^https:\S+ is Kubernetes \S+ in emulation of 1\.34; 1\.35 or later is needed, because .*resourceVersions/,
		);
		await old.stop();
	});

	it('that is not there, or names a server that does not answer, is an error and no reason to look elsewhere', async () => {
		const missing = join(cache, 'missing');
		await expect(startControlPlane({ environment, kubeconfig: missing })).rejects.toThrow(
			`The API server that ${missing} names cannot be asked: ENOENT`,
		);
		const silent = join(cache, 'silent');
		writeFileSync(silent, readFileSync(theirs.kubeconfigPath, 'utf8').replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'));
		await expect(startControlPlane({ environment, kubeconfig: silent })).rejects.toThrow(
			`The API server that ${silent} names cannot be asked: connect ECONNREFUSED`,
		);
	});
});

describe('KUBECONFIG', () => {
	it('that the user has set is not touched, and neither is the one in the home directory', async () => {
		let connections = 0;
		const production = createServer((socket) => {
			connections++;
			socket.destroy();
		});
		await new Promise<void>((resolve) => production.listen(0, '127.0.0.1', resolve));
		const { port } = production.address() as { port: number };
		const text = stringify({
			apiVersion: 'v1',
			kind: 'Config',
			clusters: [{ name: 'production', cluster: { server: `https://127.0.0.1:${port}` } }],
			users: [{ name: 'production', user: { token: 'secret' } }],
			contexts: [{ name: 'production', context: { cluster: 'production', user: 'production' } }],
			'current-context': 'production',
		});
		const home = join(cache, 'home');
		mkdirSync(join(home, '.kube'), { recursive: true });
		const files = [join(cache, 'production.kubeconfig'), join(home, '.kube', 'config')];
		for (const file of files) writeFileSync(file, text);
		const state = () => files.map((file) => ({ text: readFileSync(file, 'utf8'), mtime: statSync(file).mtimeMs }));
		const before = state();

		const code = `
			const started = await controlPlane.startControlPlane();
			const api = controlPlane.KubeApi.fromFile(started.kubeconfigPath);
			await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'made-by-a-test' } } });
			await api.close();
			await started.stop();
			console.log(started.source);`;
		const script = startScript(code, { ...environment, KUBECONFIG: files[0], HOME: home });
		expect(await script.exited).toBe(0);
		expect(script.output()).toBe('binaries\n');
		expect(connections).toBe(0);
		expect(state()).toEqual(before);
		production.close();
	});
});
