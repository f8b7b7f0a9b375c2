// A control plane for this package alone: the overlays have names of their own, and a cluster that was named for tests may
// have the platform itself under them.
import { startControlPlane } from '@kubernaut/control-plane';
import { applyCrdsWithoutTekton } from '@kubernaut/testkit/apply';
import { describeControlPlane } from '@kubernaut/testkit/shared-control-plane';
import type { TestProject } from 'vitest/node';

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
	const environment = { ...process.env, KUBERNAUT_TEST_KUBECONFIG: '' };
	const controlPlane = await startControlPlane({ auditLog: true, prepare: applyCrdsWithoutTekton, environment });
	project.provide('controlPlane', describeControlPlane(controlPlane));
	return () => controlPlane.stop();
}
