// Addresses in labels: a host with or without a port, a URL, or a name that only the cluster's DNS knows.
import { readTarget, type TargetClaim } from '../canonical-target.ts';
import type { TargetResource } from '../signal.ts';

/** Labels in which exporters and probes put the address that they measured. */
export const ADDRESS_LABELS = [
	'target',
	'exported_instance',
	'server',
	'addr',
	'address',
	'url',
	'destination_service',
	'instance',
] as const;
/** A host has at most 253 characters. */
const MAX_AUTHORITY_LENGTH = 300;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
/** `service.namespace.svc`, or `pod.service.namespace.svc` of a pod with a stable name. */
const OF_CLUSTER = /^(?:([a-z0-9-]+)\.)?([a-z0-9-]+)\.([a-z0-9-]+)\.svc(?:\.[a-z0-9.-]+)?$/;

/** Without a host (`dns://:53`) it is where a process listens. */
export function isUrl(text: string): boolean {
	return /^[a-z][a-z0-9+.-]*:\/\/[^:/]/i.test(text);
}

/** Without scheme, path and port; undefined for what is no address. */
export function hostOf(address: string): string | undefined {
	const [rest = ''] = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').split(/[/?#]/);
	const authority = rest.slice(rest.lastIndexOf('@') + 1);
	// The patterns below take the square of its length, and a label may be as long as a body.
	if (authority.length > MAX_AUTHORITY_LENGTH) return undefined;
	const bracketed = /^\[([0-9a-f:.]+)\](?::\d+)?$/i.exec(authority)?.[1];
	if (bracketed !== undefined) return bracketed.toLowerCase();
	if (/^[0-9a-f]*:[0-9a-f:]*:[0-9a-f:.]*$/i.test(authority)) return authority.toLowerCase();
	const host = authority.replace(/:\d+$/, '').toLowerCase();
	return HOST_NAME.test(host) ? host : undefined;
}

export function isIpAddress(host: string): boolean {
	return IPV4.test(host) || host.includes(':');
}

/** The namespace in an address of this cluster. */
export function namespaceIn(address: string | undefined): string | undefined {
	return OF_CLUSTER.exec(hostOf(address ?? '') ?? '')?.[3];
}

/** The object of this cluster that was called, by its name in the cluster's DNS. `isScrape`: the address was scraped. */
export function calledObject(
	labels: Readonly<Record<string, string>>,
	isScrape: (label: string, service: string) => boolean,
): { target: TargetResource; label: string } | undefined {
	for (const label of ADDRESS_LABELS) {
		const [, pod, service, namespace] = OF_CLUSTER.exec(hostOf(labels[label] ?? '') ?? '') ?? [];
		if (service === undefined || isScrape(label, service)) continue;
		const claim: TargetClaim =
			pod === undefined ? { kind: 'Service', name: service, namespace } : { kind: 'Pod', name: pod, namespace };
		const target = readTarget(claim);
		if (target !== undefined) return { target, label };
	}
	return undefined;
}

/** A probe names what it asked; that is not where it runs. */
export function probedAddress(labels: Readonly<Record<string, string>>): string | undefined {
	return ADDRESS_LABELS.find((label) => isUrl(labels[label] ?? ''));
}

/** Another label than `instance` says what was measured. */
export function namesAddress(labels: Readonly<Record<string, string>>): boolean {
	return ADDRESS_LABELS.some((label) => label !== 'instance' && hostOf(labels[label] ?? '') !== undefined);
}
