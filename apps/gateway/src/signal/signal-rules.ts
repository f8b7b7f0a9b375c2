// What an installation can change about how the target and the identity of a signal are found. The same rules must hold
// in every replica: the fingerprint depends on them.

/** A label, with one for the namespace where it has one of its own, that names an object of a kind. */
export type TargetLabel = {
	readonly label: string;
	/** The label that holds the namespace; `namespace` when absent. */
	readonly namespaceLabel?: string;
	readonly kind: string;
	readonly apiVersion?: string;
	/** Its objects have no namespace: that of the scrape is not theirs. */
	readonly isClusterScoped?: boolean;
};

export type SignalRules = {
	/** Of this cluster. Absent: signals of any cluster are taken, and each value is an identity of its own. */
	readonly clusterName?: string;
	/** Clusters whose signals are not ours. */
	readonly otherClusters: readonly string[];
	/** The label that names the cluster. */
	readonly clusterLabel: string;
	/** Before the built-in ones. */
	readonly targetLabels: readonly TargetLabel[];
	/** Parts of names that mark exporters, beside the known ones. */
	readonly exporters: readonly string[];
	/** Labels of state or routing, beside the built-in ones: no part of an identity. */
	readonly passingLabels: readonly string[];
};

export const DEFAULT_SIGNAL_RULES: SignalRules = {
	otherClusters: [],
	clusterLabel: 'cluster',
	targetLabels: [],
	exporters: [],
	passingLabels: [],
};
