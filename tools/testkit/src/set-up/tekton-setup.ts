// vitest's global set-up for packages whose tests run pipelines: a control plane with Tekton and simulated nodes, for
// the whole run of the package. It is never the shared one: that is small, and the other packages keep it so.
import { startControlPlane } from '@kubernaut/control-plane';
import type { TestProject } from 'vitest/node';
import { applyCrds } from '../apply.ts';
import { describeControlPlane } from './shared-control-plane.ts';

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
	const controlPlane = await startControlPlane({
		tekton: true,
		auditLog: true,
		prepare: applyCrds,
		apiServerArgs: ['--storage-media-type=application/json'], // for `StoredHistory`, which reads pods as well
	});
	project.provide('controlPlane', describeControlPlane(controlPlane));
	return () => controlPlane.stop();
}
