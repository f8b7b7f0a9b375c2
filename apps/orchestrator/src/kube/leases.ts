// Leases as the API server holds them.

export type LeaseObject = {
	readonly metadata: {
		readonly name: string;
		readonly uid: string;
		readonly resourceVersion: string;
	};
	readonly spec?: {
		readonly holderIdentity?: string;
		readonly leaseDurationSeconds?: number;
		readonly leaseTransitions?: number;
		readonly acquireTime?: string;
		readonly renewTime?: string;
	};
};

export function leasesPath(namespace: string): string {
	return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
}

/** The API server takes six digits after the point, not Date's three. */
export function microTime(iso: string): string {
	return iso.replace(/\.(\d{3})Z$/, '.$1000Z');
}
