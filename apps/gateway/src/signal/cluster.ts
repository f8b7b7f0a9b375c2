// Whose signal it is, when a label names a cluster. One Alertmanager often serves several clusters, and a gateway repairs
// only its own. Exporters of Elasticsearch, Vault and Ceph use the same label for themselves: a value that is neither
// ours nor listed as another's is an incident of its own, without an object.
import type { SignalRules } from './signal-rules.ts';

type Labels = Readonly<Record<string, string>>;

export type ClusterClaim =
	/** No cluster is named, or ours: no part of the identity. */
	| { readonly whose: 'ours' }
	| { readonly whose: 'another'; readonly cluster: string }
	/** Part of the identity. `mayHaveObject`: this cluster has no name, so that the value may be ours. */
	| { readonly whose: 'unknown'; readonly cluster: string; readonly mayHaveObject: boolean };

export function clusterOf(labels: Labels, { clusterLabel, clusterName, otherClusters }: SignalRules): ClusterClaim {
	const cluster = labels[clusterLabel];
	if (!cluster || cluster === clusterName) return { whose: 'ours' };
	if (otherClusters.includes(cluster)) return { whose: 'another', cluster };
	return { whose: 'unknown', cluster, mayHaveObject: clusterName === undefined };
}

/** Identity and target are read from the rest. */
export function withoutCluster(labels: Labels, { clusterLabel }: SignalRules): Labels {
	if (labels[clusterLabel] === undefined) return labels;
	const { [clusterLabel]: _, ...rest } = labels;
	return rest;
}
