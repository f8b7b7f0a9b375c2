/** What a test needs to know of the control plane of its run. */
export type SharedControlPlane = {
	kubeconfigPath: string;
	/** Where its audit log lies; null when it keeps none that we can read. */
	auditDirectory: string | null;
};

declare module 'vitest' {
	interface ProvidedContext {
		controlPlane: SharedControlPlane;
	}
}
