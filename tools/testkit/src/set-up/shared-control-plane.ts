import type { ControlPlane } from '@kubernaut/control-plane';

/** What a test needs to know of the control plane of its run. */
export type SharedControlPlane = {
	kubeconfigPath: string;
	/** Where its audit log lies; null when it keeps none that we can read. */
	auditDirectory: string | null;
	/** Where its processes are recorded, for `partSwitch`; null when they are not ours. */
	directory: string | null;
};

export function describeControlPlane({ kubeconfigPath, auditLog, directory }: ControlPlane): SharedControlPlane {
	return { kubeconfigPath, auditDirectory: auditLog?.directory ?? null, directory: directory ?? null };
}

declare module 'vitest' {
	interface ProvidedContext {
		controlPlane: SharedControlPlane;
	}
}
