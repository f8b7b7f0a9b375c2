import { canHaveParts, TEKTON_PLATFORM } from '@kubernaut/control-plane';
import { defineConfig } from 'vitest/config';
import { integrationTests } from '../../vitest.base.ts';

// Two control planes: the small one, where tests play what Tekton would write, and one with Tekton and simulated nodes.
const WITH_TEKTON = ['test/tekton-*.int.test.ts', 'test/robustness.int.test.ts'];
const { reporters = [], include = [], ...every } = integrationTests().test ?? {};
const hasTekton = await canHaveParts(['kube-apiserver', 'etcd', ...TEKTON_PLATFORM]);
if (!hasTekton) console.log('Left out, because Go is missing or too old here: tests on real Tekton');

export default defineConfig({
	test: {
		reporters,
		projects: [
			{
				test: {
					...every,
					name: 'played',
					include,
					exclude: WITH_TEKTON,
					testTimeout: 240_000, // only for what hangs
					maxWorkers: 2, // they mostly wait
					sequence: { groupOrder: 1 },
				},
			},
			...(hasTekton
				? [
						{
							test: {
								...every,
								name: 'tekton',
								include: WITH_TEKTON,
								globalSetup: ['@kubernaut/testkit/tekton-setup'],
								testTimeout: 300_000, // only for what hangs
								hookTimeout: 1_800_000, // on a new machine, the first hook builds Tekton
								maxWorkers: 1,
								sequence: { groupOrder: 2 },
							},
						},
					]
				: []),
		],
	},
});
