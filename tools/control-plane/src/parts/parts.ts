// Every program that we run for real, one row each: where it comes from, how it starts, when it is ready.
// A new part is a new row in the file of its kind, and a go.mod with its go.sum in go/<directory>.
import { KUBERNETES_PARTS } from './kubernetes-parts.ts';
import { MONITORING_PARTS } from './monitoring-parts.ts';
import type { Part } from './part.ts';
import { TEKTON_PARTS } from './tekton-parts.ts';

const ROWS = { ...KUBERNETES_PARTS, ...MONITORING_PARTS, ...TEKTON_PARTS };
export type PartName = keyof typeof ROWS;
export const PARTS: Readonly<Record<PartName, Part>> = ROWS;
export const PART_NAMES = Object.keys(ROWS) as PartName[];
