// Where everything lives that we build or start: outside the checkout, so that a fresh clone finds it again.
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/**
 * Always absolute: programs that we start in other directories get it too.
 * @param {Record<string, string | undefined>} [environment]
 * @returns {string}
 */
export function cacheDirectory(environment = process.env) {
	if (environment['KUBERNAUT_CACHE_DIR']) return resolve(environment['KUBERNAUT_CACHE_DIR']);
	const xdg = environment['XDG_CACHE_HOME'];
	if (xdg && isAbsolute(xdg)) return join(xdg, 'kubernaut'); // its specification: ignore a relative one
	const home = environment['HOME'] || homedir();
	return process.platform === 'darwin'
		? join(home, 'Library', 'Caches', 'kubernaut')
		: join(home, '.cache', 'kubernaut');
}
