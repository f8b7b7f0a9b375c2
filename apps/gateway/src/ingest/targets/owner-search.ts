// The workload above a pod, a ReplicaSet or a Job: the first controller that is none of these three, and nothing above it.
// A controller of kind Node is not followed: it stands for the kubelet, and its pods are files on that node.
// A target that is gone is searched by the owners that its sender gave, then by those that its name implies.
import type { LookUp, OwnerReference, TargetResource } from '../../signal/signal.ts';
import { type ClusterObjects, type Managed, type PassedKind, passedKind } from './cluster-objects.ts';

export type OwnerSearch = {
	/** Undefined: there is none above, or it cannot be found any more. */
	readonly owner: TargetResource | undefined;
	readonly source: 'Owner' | 'SenderOwner' | 'ImpliedOwner' | 'Named' | 'Gone';
	readonly reasons: readonly string[];
};
export type OwnerPorts = {
	readonly objects: Pick<ClusterObjects, 'managed'>;
	/** As the API server spells it, with a namespace if its kind has one; undefined when it cannot be a target. */
	readonly spelled: (owner: TargetResource) => Promise<TargetResource | undefined>;
	readonly abort: AbortSignal;
};

type Step = { readonly kind: PassedKind; readonly name: string };
/** Before the search comes to it. */
type Asked = Step & { readonly answer: Promise<Managed | undefined> };
/** `top`: the workload. `gone`: an object on the way is not there. `self`: the first object manages itself. */
type Walk = { readonly end: 'top'; readonly owner: TargetResource } | { readonly end: 'gone' | 'self' };

/** Pod, ReplicaSet or Job, workload; more would be a loop. */
const MAX_STEPS = 4;

/**
 * Sends the first call at once, and with it the one that most likely comes next, when the name shows which; the returned
 * function goes on with their answers.
 */
export function searchOwner(
	ports: OwnerPorts,
	target: TargetResource,
	lookUp: Extract<LookUp, { find: 'owner' }>,
): () => Promise<OwnerSearch> {
	const { objects, abort } = ports;
	const { namespace } = target;
	const kind = passedKind(target);
	if (kind === undefined || namespace === undefined)
		return async () => ({
			owner: undefined,
			source: 'Named',
			reasons: [`${target.kind} has no controller that is followed`],
		});
	const likely = lookUp.impliedOwners.length === 1 ? lookUp.impliedOwners : [];
	const asked = [{ kind, name: target.name }, ...likely].map((step) => {
		const answer = objects.managed(step.kind, { namespace, name: step.name }, abort);
		answer.catch(() => {}); // reported when the search comes to it; it may never do
		return { ...step, answer };
	});
	return async () => {
		const reasons: string[] = [];
		const walk = (from: Step) => walkUp(ports, namespace, from, reasons, asked);
		const direct = await walk({ kind, name: target.name });
		if (direct.end === 'top') return { owner: direct.owner, source: 'Owner', reasons };
		if (direct.end === 'self') return { owner: undefined, source: 'Named', reasons };

		const given = lookUp.ownerReferences.find((owner) => owner.controller === true) ?? lookUp.ownerReferences[0];
		if (given !== undefined) {
			reasons.push(`the sender says that ${given.kind} ${given.name} owned it`);
			const owner = await fromReference(ports, namespace, given, walk);
			if (owner !== undefined) return { owner, source: 'SenderOwner', reasons };
		}
		for (const implied of lookUp.impliedOwners) {
			const found = await walk(implied);
			if (found.end === 'gone') continue;
			const owner = found.end === 'top' ? found.owner : { kind: implied.kind, name: implied.name, namespace };
			return { owner, source: 'ImpliedOwner', reasons };
		}
		return { owner: undefined, source: 'Gone', reasons };
	};
}

async function fromReference(
	ports: OwnerPorts,
	namespace: string,
	reference: OwnerReference,
	walk: (from: Step) => Promise<Walk>,
): Promise<TargetResource | undefined> {
	if (reference.kind === 'Node') return undefined;
	const kind = passedKind(reference);
	if (kind === undefined) return ports.spelled(toTarget(reference, namespace));
	const found = await walk({ kind, name: reference.name });
	if (found.end === 'top') return found.owner;
	return found.end === 'self' ? toTarget(reference, namespace) : undefined;
}

async function walkUp(
	{ objects, spelled, abort }: OwnerPorts,
	namespace: string,
	from: Step,
	reasons: string[],
	asked: readonly Asked[],
): Promise<Walk> {
	const ask = ({ kind, name }: Step) => objects.managed(kind, { namespace, name }, abort);
	let at: Step = from;
	for (let step = 0; step < MAX_STEPS; step++) {
		const known = asked.find(({ kind, name }) => kind === at.kind && name === at.name)?.answer;
		// What was not there when it was asked for beside its pod may be as young as that pod.
		const found = (await known) ?? (known === undefined || step > 0 ? await ask(at) : undefined);
		if (found === undefined) {
			reasons.push(`${at.kind} ${at.name} is gone`);
			return { end: 'gone' };
		}
		const { controller } = found;
		if (controller === undefined || controller.kind === 'Node') {
			reasons.push(`${at.kind} ${at.name} has no controller${controller === undefined ? '' : ' but its node'}`);
			return at === from ? { end: 'self' } : { end: 'top', owner: { ...at, namespace } };
		}
		reasons.push(`${at.kind} ${at.name} is controlled by ${controller.kind} ${controller.name}`);
		const kind = passedKind(controller);
		if (kind === undefined) {
			const owner = await spelled(toTarget(controller, namespace));
			return owner === undefined ? { end: 'gone' } : { end: 'top', owner };
		}
		at = { kind, name: controller.name };
	}
	reasons.push('its controllers do not end');
	return { end: 'gone' };
}

function toTarget({ kind, name, apiVersion }: OwnerReference, namespace: string): TargetResource {
	return { kind, name, namespace, ...(apiVersion === undefined ? {} : { apiVersion }) };
}
