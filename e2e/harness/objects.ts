// The platform's objects as the scenarios read them.
import type { KubeObject } from '@kubernaut/control-plane';
import { applyObject } from '@kubernaut/testkit';
import type { Platform } from './platform.ts';

export const GROUP = '/apis/kubernaut.ai/v1alpha1/namespaces';
export type Plural = 'remediationrequests' | 'workflowexecutions' | 'notificationrequests' | 'remediationworkflows';
type Place = Pick<Platform, 'api' | 'namespace' | 'executionNamespace'>;

export function objectsPath({ namespace }: Pick<Place, 'namespace'>, plural: Plural): string {
	return `${GROUP}/${namespace}/${plural}`;
}

export function leasesPath({ namespace }: Pick<Place, 'namespace'>): string {
	return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
}

export function runsPath({ executionNamespace }: Pick<Place, 'executionNamespace'>): string {
	return `/apis/tekton.dev/v1/namespaces/${executionNamespace}/pipelineruns`;
}

export async function listAt({ api }: Pick<Place, 'api'>, path: string): Promise<KubeObject[]> {
	return (await api.call('GET', path))['items'] as KubeObject[];
}

export function list(place: Place, plural: Plural): Promise<KubeObject[]> {
	return listAt(place, objectsPath(place, plural));
}

/** Requests about this deployment of the namespace `shop`, the oldest first. */
export async function requestsAbout(place: Place, deployment: string): Promise<KubeObject[]> {
	const all = await list(place, 'remediationrequests');
	return all
		.filter(({ spec }) => spec.targetResource?.name === deployment)
		.toSorted((one, other) => Number(one['spec'].chain) - Number(other['spec'].chain));
}

/** Signals that the requests together have counted. */
export function countOf(requests: readonly KubeObject[]): number {
	return requests.reduce((sum, { status }) => sum + (status?.deduplication?.occurrenceCount ?? 0), 0);
}

/** Lets the platform repair: the workflow that these signals ask for. */
export async function putWorkflow(
	place: Place,
	name: string,
	signalNames: readonly string[],
	more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
	const { api, namespace } = place;
	await applyObject(api, {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationWorkflow',
		metadata: { name, namespace },
		spec: { match: { signalNames }, pipelineRef: { name }, ...more },
	});
}

const ENDED = ['Completed', 'Failed', 'Skipped', 'Cancelled', 'TimedOut'];

export function hasEnded({ status }: KubeObject): boolean {
	return ENDED.includes(status?.overallPhase);
}

export function describeRequest({ metadata, status }: KubeObject): string {
	const { overallPhase = 'Pending', blockReason = '', blockMessage = '' } = status ?? {};
	return `${metadata.name}: ${overallPhase} ${blockReason} ${blockMessage}`.trim();
}
