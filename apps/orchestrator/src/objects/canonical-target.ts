// One spelling for one resource: `<namespace>/<Kind>/<name>`, or `<Kind>/<name>` for what is in no namespace. Locks
// hash it, so two spellings of one target would be two locks. A name has no slash, so two targets never share one.
// The gateway writes kinds as the API server spells them, and the CRD refuses others.

export type TargetResource = {
	readonly kind: string;
	readonly name: string;
	/** Absent for what is not in a namespace. */
	readonly namespace?: string;
	readonly apiVersion?: string;
};

export function canonicalTarget({ namespace, kind, name }: TargetResource): string {
	return namespace === undefined ? `${kind}/${name}` : `${namespace}/${kind}/${name}`;
}
