// Every program that we run for real, one row each: where it comes from, how it starts, when it is ready.
// A new part is a new row in the file of its kind, and a go.mod with its go.sum in go/<directory>.

import type { Part } from './part.ts';
import { CLUSTER_PARTS } from './rows/cluster-parts.ts';
import { KUBERNETES_PARTS } from './rows/kubernetes-parts.ts';
import { MANIFEST_PARTS } from './rows/manifest-parts.ts';
import { MONITORING_PARTS } from './rows/monitoring-parts.ts';
import { TEKTON_PARTS } from './rows/tekton-parts.ts';

const ROWS = { ...KUBERNETES_PARTS, ...MANIFEST_PARTS, ...MONITORING_PARTS, ...TEKTON_PARTS, ...CLUSTER_PARTS };
export type PartName = keyof typeof ROWS;
export const PARTS: Readonly<Record<PartName, Part>> = ROWS;
export const PART_NAMES = Object.keys(ROWS) as PartName[];

export function partVersion(name: PartName): string {
	return PARTS[name].version;
}
