// The Kubernetes client library holds a class for every kind of every API; an app uses its reader of kubeconfigs. It does
// not say that its modules do nothing when they are loaded, so the bundler keeps them all. They do nothing: said here.
import type { Plugin } from 'esbuild';

const LIBRARY = '@kubernetes/client-node';
const ASKED_ALREADY = Symbol('asked already');

export const withoutUnusedModels: Plugin = {
	name: 'without-unused-models',
	setup({ onResolve, resolve }) {
		onResolve({ filter: /^(?:\.|@kubernetes\/client-node)/ }, async ({ path, pluginData, ...from }) => {
			const concerned = path.startsWith(LIBRARY) || from.importer.includes(`/${LIBRARY}/`);
			if (!concerned || pluginData === ASKED_ALREADY) return undefined;
			const { importer, namespace, resolveDir, kind } = from;
			const found = await resolve(path, { importer, namespace, resolveDir, kind, pluginData: ASKED_ALREADY });
			return found.errors.length > 0 ? { errors: found.errors } : { path: found.path, sideEffects: false };
		});
	},
};
