// Settings that name a file or directory. Each task runs in a directory of its own, so a relative one would mean
// another place to each of them.
import { isAbsolute, resolve } from 'node:path';

const PATHS = ['KUBERNAUT_CACHE_DIR', 'KUBERNAUT_TEST_KUBECONFIG', 'KUBEBUILDER_ASSETS'];

/**
 * @param {Record<string, string | undefined>} environment is changed
 * @param {string} base where the user is
 */
export function makePathsAbsolute(environment, base) {
	for (const name of PATHS) if (environment[name]) environment[name] = resolve(base, environment[name]);
	// Its specification says to ignore a relative one. We do; Go refuses to work, others would take it.
	const xdg = environment['XDG_CACHE_HOME'];
	if (xdg && !isAbsolute(xdg)) delete environment['XDG_CACHE_HOME'];
}
