// What must be looked up about a target when a request is made.
import { isBuiltIn } from './canonical-target.ts';
import { impliedOwners } from './generated-name.ts';
import type { LookUp, OwnerReference, TargetResource } from './signal.ts';

/** Kinds that are managed from above: what manages them is the target. */
const PASSED_THROUGH: ReadonlySet<string> = new Set(['Pod', 'ReplicaSet', 'Job']);
/** Of ours, for an alert that names no object. */
const ALERT = 'Alert';

export function lookUpFor(target: TargetResource, ownerReferences: readonly OwnerReference[] = []): LookUp {
	if (PASSED_THROUGH.has(target.kind)) return { find: 'owner', ownerReferences, impliedOwners: impliedOwners(target) };
	return isBuiltIn(target.kind) || target.kind === ALERT ? { find: 'nothing' } : { find: 'kind' };
}

export function subjectOf(target: TargetResource): TargetResource | undefined {
	return target.kind === 'Pod' ? target : undefined;
}
