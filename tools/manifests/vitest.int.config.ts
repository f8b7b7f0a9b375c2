import { findPart } from '@kubernaut/control-plane';
import { integrationTests } from '../../vitest.base.ts';

// promtool takes minutes to build: `npm run manifests:check` builds it, and tests use one that is there already.
const withoutPromtool = !('found' in findPart('promtool')) && !process.env['KUBERNAUT_ALL_PARTS'];
if (withoutPromtool) console.log('Left out, because promtool is not here; `npm run manifests:check` builds it: rules');

export default integrationTests({
	globalSetup: ['./test/own-control-plane.ts'],
	exclude: withoutPromtool ? ['test/rules.int.test.ts'] : [],
	fileParallelism: false,
	hookTimeout: 1_800_000, // on a new machine, the first hook builds kustomize
});
