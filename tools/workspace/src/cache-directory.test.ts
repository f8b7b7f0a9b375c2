import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { cacheDirectory } from './cache-directory.mjs';

const below = process.platform === 'darwin' ? join('Library', 'Caches', 'kubernaut') : join('.cache', 'kubernaut');

it.each([
	{ environment: { KUBERNAUT_CACHE_DIR: '/c', XDG_CACHE_HOME: '/x', HOME: '/h' }, want: '/c' },
	{ environment: { KUBERNAUT_CACHE_DIR: 'below/here', HOME: '/h' }, want: resolve('below/here') },
	{ environment: { XDG_CACHE_HOME: '/x', HOME: '/h' }, want: join('/x', 'kubernaut') },
	{ environment: { XDG_CACHE_HOME: 'relative', HOME: '/h' }, want: join('/h', below) },
	{ environment: { KUBERNAUT_CACHE_DIR: '', XDG_CACHE_HOME: '', HOME: '/h' }, want: join('/h', below) },
	{ environment: {}, want: join(homedir(), below) },
])('$environment → $want', ({ environment, want }) => {
	expect(cacheDirectory(environment)).toBe(want);
});
