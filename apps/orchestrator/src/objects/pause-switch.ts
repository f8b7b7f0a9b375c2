// The switch that stops new remediations: for all, for a namespace, for a target. It is a ConfigMap, so that a person
// can set it with kubectl and the API server records who did. Running executions are not affected.
// A switch that is invalid or names nothing pauses everything: its author wanted something to stop. No ConfigMap is off.
import { answered } from '../kube/answered.ts';
import type { KubeClient } from '../kube/kube.ts';

export type ConfigMap = {
	readonly metadata: { readonly name?: string; readonly uid?: string; readonly resourceVersion?: string };
	readonly data?: Readonly<Record<string, string>>;
};

/** What a switch can stop; `nothing` when it says so. */
export const PAUSE_SCOPES = ['everything', 'some', 'nothing'] as const;
export type PauseScope = (typeof PAUSE_SCOPES)[number];

export type PauseSwitch = {
	readonly scope: PauseScope;
	/** The whole of it in words. */
	readonly description: string;
	/** Why this target is paused; undefined when it is not. */
	pausedBecause(target: string): string | undefined;
};

const KEYS: ReadonlySet<string> = new Set(['all', 'namespaces', 'targets']);
const NAMESPACE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const TARGET = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?\/)?[A-Z][A-Za-z0-9]*\/[^/%\s]+$/;

export const NOT_PAUSED: PauseSwitch = {
	scope: 'nothing',
	description: 'nothing is paused',
	pausedBecause: () => undefined,
};

export function readPauseSwitch({ metadata, data = {} }: ConfigMap): PauseSwitch {
	const name = metadata.name ?? '';
	const problem = problemOf(data);
	if (problem !== undefined) return everything(`, because the ConfigMap ${name} is invalid: ${problem}`);
	if (data['all']?.trim() === 'true') return everything(` by the ConfigMap ${name}`);
	const namespaces = new Set(words(data['namespaces']));
	const targets = new Set(words(data['targets']));
	if (namespaces.size + targets.size === 0)
		return data['all'] === undefined ? everything(`, because the ConfigMap ${name} names nothing`) : NOT_PAUSED;
	return {
		scope: 'some',
		description: `paused by the ConfigMap ${name}: ${[...namespaces, ...targets].join(', ')}`,
		pausedBecause(target) {
			if (targets.has(target)) return `${target} is paused by the ConfigMap ${name}`;
			const namespace = namespaceOf(target);
			return namespace !== undefined && namespaces.has(namespace)
				? `the namespace ${namespace} is paused by the ConfigMap ${name}`
				: undefined;
		},
	};
}

function everything(why: string): PauseSwitch {
	const description = `everything is paused${why}`;
	return { scope: 'everything', description, pausedBecause: () => description };
}

/** The ConfigMap as it is now; undefined when there is none. Faults are thrown. */
export function createPauseReader(
	kube: Pick<KubeClient, 'call'>,
	namespace: string,
	name: string,
): () => Promise<ConfigMap | undefined> {
	const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
	return () =>
		answered(kube.call<ConfigMap>({ verb: 'get', path, resource: 'configmaps', namespace }), {
			KUBE_NOT_FOUND: undefined,
		});
}

/** A name that cannot exist would pause nothing, while its author believes that it does. */
function problemOf(data: Readonly<Record<string, string>>): string | undefined {
	const unknown = Object.keys(data).find((key) => !KEYS.has(key));
	if (unknown !== undefined) return `unknown key ${unknown}; allowed are all, namespaces and targets`;
	const all = (data['all'] ?? 'false').trim();
	if (all !== 'true' && all !== 'false') return `key all is ${JSON.stringify(all)}; allowed are true and false`;
	const namespace = words(data['namespaces']).find((word) => !NAMESPACE.test(word));
	if (namespace !== undefined) return `key namespaces has ${JSON.stringify(namespace)}, which is not a namespace name`;
	const target = words(data['targets']).find((word) => !TARGET.test(word));
	return target === undefined
		? undefined
		: `key targets has ${JSON.stringify(target)}, which is neither <namespace>/<Kind>/<name> nor <Kind>/<name>`;
}

function words(text = ''): string[] {
	return text.split(/[\s,]+/).filter((word) => word !== '');
}

/** Pausing a namespace pauses the Namespace itself, too. */
function namespaceOf(target: string): string | undefined {
	const parts = target.split('/');
	return parts.length === 3 ? parts[0] : parts[0] === 'Namespace' ? parts[1] : undefined;
}
