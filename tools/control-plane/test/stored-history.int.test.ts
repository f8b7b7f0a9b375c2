// The history of stored objects is whole across a kill of the API server.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ControlPlane, KubeApi, MERGE_PATCH, StoredHistory, startControlPlane } from '../src/index.ts';

let controlPlane: ControlPlane;
let api: KubeApi;
beforeAll(async () => {
	controlPlane = await startControlPlane({ apiServerArgs: ['--storage-media-type=application/json'] });
	api = KubeApi.fromFile(controlPlane.kubeconfigPath);
});
afterAll(async () => {
	await api.close();
	await controlPlane.stop();
});

it('every version of an object is in it, in order, also when the API server was killed in between', async () => {
	const path = '/api/v1/namespaces/default/configmaps';
	const history = await StoredHistory.start(controlPlane.directory!, ['/registry/configmaps/default/watched']);
	const write = (value: string) =>
		api.call('PATCH', `${path}/watched`, { body: { data: { value } }, contentType: MERGE_PATCH });
	await api.call('POST', path, { body: { metadata: { name: 'watched' }, data: { value: '1' } } });
	await api.call('POST', path, { body: { metadata: { name: 'another' } } });
	await write('2');
	await controlPlane.apiServer?.stop('SIGKILL');
	await controlPlane.apiServer?.start();
	await write('3');
	const { metadata } = await write('4');
	await api.call('DELETE', `${path}/watched`);
	await history.caughtUp();
	expect(history.changes.map(({ object }) => object?.['data'].value)).toEqual(['1', '2', '3', '4', undefined]);
	expect(history.changes[3]).toMatchObject({
		key: '/registry/configmaps/default/watched',
		revision: Number(metadata.resourceVersion),
	});
	await history.stop();
});
