import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, KubeApi, type PartSwitch, startControlPlane } from '../src/index.ts';
import { environmentWithBinaries, processesNaming, removeWithProcesses, temporaryDirectory } from './scripts.ts';

const cache = temporaryDirectory();
let controlPlane: ControlPlane;
let apiServer: PartSwitch;
let api: KubeApi;
beforeAll(async () => {
	controlPlane = await startControlPlane({ environment: await environmentWithBinaries(cache) });
	apiServer = controlPlane.apiServer!;
	api = KubeApi.fromFile(controlPlane.kubeconfigPath);
});
afterAll(async () => {
	await api.close();
	removeWithProcesses(cache);
});

describe('an API server that is switched', () => {
	it.each(['SIGKILL', 'SIGTERM'] as const)(
		'off by %s and on again has the same address, and its objects',
		async (signal) => {
			const name = `before-${signal.toLowerCase()}`;
			await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
			await apiServer.stop(signal);
			await expect(api.send('GET', '/version')).rejects.toThrow();
			await apiServer.start();
			expect(await api.call('GET', `/api/v1/namespaces/${name}`)).toMatchObject({ metadata: { name } });
		},
	);

	it('to a pause answers nothing, and goes on where it was', async () => {
		await api.call('GET', '/version'); // connected before: a connect has a time-out of its own
		await apiServer.pause();
		await expect(api.send('GET', '/version', { signal: AbortSignal.timeout(500) })).rejects.toThrow();
		apiServer.resume();
		expect((await api.send('GET', '/version')).status).toBe(200);
	});

	it('ends with its control plane', async () => {
		await controlPlane.stop();
		await expect.poll(() => processesNaming(controlPlane.directory!)).toEqual([]);
	});
});
