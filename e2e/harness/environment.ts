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
export type E2eEnvironment = {
	/** Null: processes beside a control plane of our own. */
	readonly cluster: ClusterDescription | null;
};

declare module 'vitest' {
	interface ProvidedContext {
		e2e: E2eEnvironment;
	}
}
