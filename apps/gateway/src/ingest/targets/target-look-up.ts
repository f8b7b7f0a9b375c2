// Which resource a request is about, as the API server knows it: the workload above the pod, the node behind an address,
// the spelling of a kind. Asked only when a request is made, and stored in its spec; it takes no part in the identity of
// the signal, so that replicas that find different answers still make one request.
// What is not there, or must not be read, leaves the target as the signal names it. An API server that does not answer is a
// fault: the signal is deferred, as for the create.
import type { RemediationRequestTargetSource } from '../../generated/remediation-request.ts';
import { KubeError } from '../../kube/kube.ts';
import { isBuiltIn, readTarget } from '../../signal/canonical-target.ts';
import type { LookUp, Signal, TargetResource } from '../../signal/signal.ts';
import type { ClusterObjects } from './cluster-objects.ts';
import type { KindSpelling, SpelledKind } from './kind-spelling.ts';
import { isRefused } from './look-up-rights.ts';
import type { NodeAddresses } from './node-addresses.ts';
import { searchOwner } from './owner-search.ts';

export type TargetSource = RemediationRequestTargetSource;
export type FoundTarget = {
	readonly target: TargetResource;
	readonly source: TargetSource;
	/** A sentence for each step. */
	readonly reasons: readonly string[];
};
/** A look-up that has begun with its first call. */
export type LookingUp = {
	/** Goes on to the end; a second call gives the same. */
	finish(): Promise<FoundTarget>;
};
export type TargetLookUp = { start(signal: LookUpSignal, abort: AbortSignal): LookingUp };
export type LookUpSignal = Pick<Signal, 'target' | 'lookUp'>;
export type LookUpObserver = { lookedUp(source: TargetSource, seconds: number): void };
export type LookUpPorts = {
	readonly objects: ClusterObjects;
	readonly nodes: Pick<NodeAddresses, 'nodeAt'>;
	readonly kinds: Pick<KindSpelling, 'find'>;
	readonly observer: LookUpObserver;
	/** Monotonic. */
	readonly now: () => number;
};

type Search = () => Promise<FoundTarget>;

export function createTargetLookUp(ports: LookUpPorts): TargetLookUp {
	const { objects, nodes, kinds, observer, now } = ports;

	/** Sends the first call; the returned function does the rest. */
	function begin({ target, lookUp }: LookUpSignal, abort: AbortSignal): Search {
		switch (lookUp.find) {
			case 'nothing':
				return async () => named(target);
			case 'owner': {
				const search = searchOwner({ objects, spelled, abort }, target, lookUp);
				return async () => {
					const { owner, source, reasons } = await search();
					return { target: owner ?? target, source, reasons };
				};
			}
			case 'node': {
				const first = lookUp.pod === undefined ? undefined : eager(objects.nodeOfPod(lookUp.pod, abort));
				return () => findNode(target, lookUp, first);
			}
			case 'kind': {
				const first = eager(kinds.find(target.kind, target.apiVersion));
				return async () => {
					const kind = await first;
					if (kind === undefined) return named(target, `the API server serves no kind ${target.kind}`);
					return {
						target: spell(target, kind),
						source: 'Discovery',
						reasons: [`the API server spells the kind ${kind.kind}${kind.isNamespaced ? '' : ', without a namespace'}`],
					};
				};
			}
		}
	}

	async function findNode(
		target: TargetResource,
		{ pod, address }: Extract<LookUp, { find: 'node' }>,
		first: Promise<string | undefined> | undefined,
	): Promise<FoundTarget> {
		const reasons: string[] = [];
		const ofPod = await first;
		if (pod !== undefined)
			reasons.push(
				ofPod === undefined
					? `the pod ${pod.namespace}/${pod.name}, which measured it, is gone`
					: `the pod ${pod.namespace}/${pod.name}, which measured it, runs on the node ${ofPod}`,
			);
		if (ofPod !== undefined) return { target: nodeNamed(ofPod), source: 'NodeOfPod', reasons };
		const atAddress = address === undefined ? undefined : await nodes.nodeAt(address);
		if (address !== undefined)
			reasons.push(
				atAddress === undefined
					? `no node has the address ${address}`
					: `the node ${atAddress} has the address ${address}`,
			);
		return atAddress === undefined
			? { target, source: 'Gone', reasons }
			: { target: nodeNamed(atAddress), source: 'NodeAddress', reasons };
	}

	/** Of an owner. The scope of a kind that is not built in is asked for; without an answer it has a namespace. */
	async function spelled(owner: TargetResource): Promise<TargetResource | undefined> {
		const known = readTarget(owner);
		if (known === undefined || isBuiltIn(known.kind)) return known;
		const kind = await kinds.find(owner.kind, owner.apiVersion).catch(() => undefined);
		return kind === undefined ? known : spell(known, kind);
	}

	async function finish(signal: LookUpSignal, begun: Search, again: () => Search): Promise<FoundTarget> {
		try {
			return await begun().catch((error: unknown) => {
				// An API server that starts refuses everything for some seconds; by now it has granted the lock.
				if (error instanceof KubeError && error.code === 'KUBE_NOT_GRANTED') return again()();
				throw error;
			});
		} catch (error) {
			if (!isRefused(error)) throw error;
			return { target: signal.target, source: 'Forbidden', reasons: [error.message] };
		}
	}

	return {
		start(signal, abort) {
			const startedAt = now();
			const begun = begin(signal, abort);
			let finished: Promise<FoundTarget> | undefined;
			return {
				finish() {
					finished ??= finish(signal, begun, () => begin(signal, abort)).then((found) => {
						observer.lookedUp(found.source, (now() - startedAt) / 1000);
						return found;
					});
					return finished;
				},
			};
		},
	};
}

function named(target: TargetResource, ...reasons: string[]): FoundTarget {
	return { target, source: target.kind === 'Alert' ? 'Alert' : 'Named', reasons };
}

function nodeNamed(name: string): TargetResource {
	return { kind: 'Node', name, apiVersion: 'v1' };
}

function spell(target: TargetResource, { kind, isNamespaced }: SpelledKind): TargetResource {
	const { namespace, ...rest } = target;
	return { ...rest, kind, ...(isNamespaced && namespace !== undefined ? { namespace } : {}) };
}

/** Its fault is reported when it is waited for, which may never be. */
function eager<T>(call: Promise<T>): Promise<T> {
	call.catch(() => {});
	return call;
}
