// vitest's global set-up: one control plane for the whole run, with the CRDs in. The checks (`npm test`) start one
// for all packages and name it in KUBERNAUT_SHARED_CONTROL_PLANE; a package that is tested alone starts its own.
import { readFileSync } from 'node:fs';
import { startControlPlane } from '@kubernaut/control-plane';
import type { TestProject } from 'vitest/node';
import { applyCrdsWithoutTekton } from '../apply.ts';
import { describeControlPlane, type SharedControlPlane } from './shared-control-plane.ts';

export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | void> {
	const shared = process.env['KUBERNAUT_SHARED_CONTROL_PLANE'];
	if (shared) {
		project.provide('controlPlane', JSON.parse(readFileSync(shared, 'utf8')) as SharedControlPlane);
		return;
	}
	const controlPlane = await startControlPlane({ auditLog: true, prepare: applyCrdsWithoutTekton });
	project.provide('controlPlane', describeControlPlane(controlPlane));
	return () => controlPlane.stop();
}
