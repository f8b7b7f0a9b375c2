import { integrationTests } from '../../vitest.base.ts';

// These measure, or send as much as the machine takes: they run one after the other, when the rest is done.
const ALONE = ['api-outage', 'fuzz', 'shutdown-under-load', 'storm'].map((name) => `test/${name}.int.test.ts`);

// Most of the others wait for most of their time. The control plane and the reporters are of the run, not of a project.
const { globalSetup, reporters, include, ...every } = integrationTests({
	// What a busy machine held up is done again, a few times.
	testTimeout: 180_000,
	hookTimeout: 240_000,
}).test!;

export default {
	test: {
		globalSetup,
		reporters,
		projects: [
			{ test: { ...every, name: 'together', include, exclude: ALONE, maxWorkers: 2, sequence: { groupOrder: 1 } } },
			{ test: { ...every, name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 2 } } },
		],
	},
};
