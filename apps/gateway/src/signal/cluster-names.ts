// Notices a second cluster. Without CLUSTER_NAME every value of the cluster label is an incident of its own, and its object
// is taken for ours: with one value that is right, with two it is not.
export type ClusterObserver = {
	/** A signal was ignored: it is of a cluster that is listed as another's. */
	notOurs(): void;
	/** The name of this cluster is not configured, and signals name more than one. `isNew`: for the first time this one. */
	secondCluster(cluster: string, isNew: boolean): void;
};

/** More are counted, and not remembered. */
const MAX_REMEMBERED = 100;

export function followClusters(isNamed: boolean, observer: ClusterObserver): (cluster: string) => void {
	const seen = new Set<string>();
	return (cluster) => {
		if (isNamed) return;
		const isNew = !seen.has(cluster);
		if (isNew && seen.size < MAX_REMEMBERED) seen.add(cluster);
		const [first] = seen;
		if (cluster !== first) observer.secondCluster(cluster, isNew && seen.has(cluster));
	};
}
