// What the command (src/cli.ts) tells the scenarios of the cluster that it made or was given.
export type ClusterDescription = {
	readonly kubeconfigPath: string;
	/** Of the gateway's Service, from here. */
	readonly gatewayUrl: string;
	/** The node's container, and the engine that runs it: absent for a cluster that is not ours. */
	readonly node: { readonly container: string; readonly dockerHost: string } | null;
	/** What steps of pipelines are made of: a shell, and Node. */
	readonly images: { readonly busybox: string; readonly base: string };
	readonly kubectl: string;
};
/** Of the images of the version before this one. */
export const PREVIOUS_TAG = 'previous';
/** The version before this one, from the history of the repository. */
export type PreviousVersion = {
	readonly commit: string;
	/** The tree of that commit, with its dependencies and bundles. */
	readonly directory: string;
};
export type E2eEnvironment = {
	readonly previous: PreviousVersion | null;
	/** Null: processes beside a control plane of our own. */
	readonly cluster: ClusterDescription | null;
};

declare module 'vitest' {
	interface ProvidedContext {
		e2e: E2eEnvironment;
	}
}
