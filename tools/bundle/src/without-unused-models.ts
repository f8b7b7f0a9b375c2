// The Kubernetes client library holds a class for every kind of every API, a thousand files; an app uses its reader of
// kubeconfigs. The bundler cannot know that the rest does nothing when it is loaded, so it is not shown the rest: the
// library is its reader, and the reader gets of the generated code what it asks for. An app that imports anything else of
// the library does not build, and esbuild names what is missing.
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

const LIBRARY = /^@kubernetes\/client-node$/;
const READER = 'config.js';
const GENERATED = /^\.\/gen\/index\.js$/;
const USED_OF_GENERATED = "export { createConfiguration } from './configuration.js'; export * from './servers.js';";
const ASKED_ALREADY = Symbol('asked already');

export const withoutUnusedModels: Plugin = {
	name: 'without-unused-models',
	setup({ onResolve, onLoad, resolve }) {
		onResolve({ filter: LIBRARY }, async ({ path, pluginData, importer, namespace, resolveDir, kind }) => {
			if (pluginData === ASKED_ALREADY) return undefined;
			const found = await resolve(path, { importer, namespace, resolveDir, kind, pluginData: ASKED_ALREADY });
			return found.errors.length > 0
				? { errors: found.errors }
				: { path: join(dirname(found.path), READER), sideEffects: false };
		});
		onResolve({ filter: GENERATED }, ({ importer, resolveDir }) =>
			importer.includes('/@kubernetes/client-node/')
				? { path: join(resolveDir, 'gen', 'index.js'), namespace: 'used-of-generated', sideEffects: false }
				: undefined,
		);
		onLoad({ filter: /./, namespace: 'used-of-generated' }, ({ path }) => ({
			contents: USED_OF_GENERATED,
			resolveDir: dirname(path),
		}));
	},
};
