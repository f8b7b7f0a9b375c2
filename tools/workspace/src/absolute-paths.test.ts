import { expect, it } from 'vitest';
import { makePathsAbsolute } from './absolute-paths.mjs';

it.each([
	{
		what: 'a relative path is meant from where the user is',
		environment: { KUBERNAUT_CACHE_DIR: 'cache', KUBEBUILDER_ASSETS: './bin', KUBERNAUT_TEST_KUBECONFIG: '../config' },
		want: { KUBERNAUT_CACHE_DIR: '/here/cache', KUBEBUILDER_ASSETS: '/here/bin', KUBERNAUT_TEST_KUBECONFIG: '/config' },
	},
	{
		what: 'an absolute one stays',
		environment: { KUBERNAUT_CACHE_DIR: '/cache', XDG_CACHE_HOME: '/xdg' },
		want: { KUBERNAUT_CACHE_DIR: '/cache', XDG_CACHE_HOME: '/xdg' },
	},
	{
		what: 'what is not set, or empty, stays so',
		environment: { KUBEBUILDER_ASSETS: '' },
		want: { KUBEBUILDER_ASSETS: '' },
	},
	{ what: 'a relative XDG_CACHE_HOME goes', environment: { XDG_CACHE_HOME: 'xdg', HOME: 'h' }, want: { HOME: 'h' } },
])('$what', ({ environment, want }) => {
	makePathsAbsolute(environment, '/here');
	expect(environment).toStrictEqual(want);
});
