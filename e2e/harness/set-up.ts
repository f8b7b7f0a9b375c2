// vitest's global set-up. KUBERNAUT_E2E_CLUSTER names a file that describes a cluster with the platform on it; without it,
// scenarios run as processes beside a control plane with Tekton and a simulated node, started here.
// KUBERNAUT_E2E_PREVIOUS names one that describes the version before this one.
import { readFileSync } from 'node:fs';
import { startControlPlane } from '@kubernaut/control-plane';
import { applyCrds, applyObject, readManifests } from '@kubernaut/testkit/apply';
import { describeControlPlane } from '@kubernaut/testkit/shared-control-plane';
import type { TestProject } from 'vitest/node';
import type { ClusterDescription, PreviousVersion } from './environment.ts';

export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | void> {
	const file = process.env['KUBERNAUT_E2E_CLUSTER'];
	const previousFile = process.env['KUBERNAUT_E2E_PREVIOUS'];
	const previous = previousFile ? (JSON.parse(readFileSync(previousFile, 'utf8')) as PreviousVersion) : null;
	if (file) {
		const cluster = JSON.parse(readFileSync(file, 'utf8')) as ClusterDescription;
		project.provide('e2e', { cluster, previous });
		project.provide('controlPlane', {
			kubeconfigPath: cluster.kubeconfigPath,
			auditDirectory: null,
			directory: null,
		});
		return;
	}
	const controlPlane = await startControlPlane({
		tekton: true,
		prepare: async (api) => {
			await applyCrds(api);
			for (const policy of readManifests('deploy/policies/approver-is-the-user.yaml')) await applyObject(api, policy);
		},
	});
	project.provide('e2e', { cluster: null, previous });
	project.provide('controlPlane', describeControlPlane(controlPlane));
	return () => controlPlane.stop();
}
