// A Lease as the API server writes it, with the fields that the suite reads or plants.

export type LeaseSpec = {
	readonly holderIdentity?: string;
	readonly leaseDurationSeconds?: number;
	readonly leaseTransitions?: number;
	readonly acquireTime?: string;
	readonly renewTime?: string;
};
export type RawLease = {
	readonly metadata: {
		readonly name: string;
		readonly uid: string;
		readonly resourceVersion: string;
		readonly labels?: Readonly<Record<string, string>>;
		readonly annotations?: Readonly<Record<string, string>>;
	};
	readonly spec: LeaseSpec;
};

export const LEASES = (namespace: string): string => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;

/** With six digits after the point, as the API server wants it. */
export function microTime(date: Date): string {
	return date.toISOString().replace('Z', '000Z');
}
