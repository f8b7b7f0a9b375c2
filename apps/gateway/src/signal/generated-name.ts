// Names that controllers generate, taken apart. Only what a controller appends is recognised: a hash or a suffix in the
// alphabet of Kubernetes' generator (no vowels, no 0, 1 and 3), and the minutes that a CronJob appends.
// Not guaranteed: a name that a person wrote in the same shape is taken for a generated one.

const LETTER = '[bcdfghjklmnpqrstvwxz2456789]';
const OF_DEPLOYMENT = new RegExp(`^(.+)-(${LETTER}{6,10})-(${LETTER}{5})$`);
const OF_REPLICA_SET = new RegExp(`^(.+)-(${LETTER}{6,10})$`);
const GENERATED = new RegExp(`^(.+)-(${LETTER}{5})$`);
/** Minutes since 1970: from 2017 to 2046. */
const OF_CRON_JOB = new RegExp(`^(.+)-(2[5-9]\\d{6}|3\\d{7})(-${LETTER}{5})?$`);
/** The API server cuts what it appends five letters to, so that the name has 63 characters. */
const CUT_LENGTH = 63;
const ENDS_GENERATED = new RegExp(`${LETTER}{5}$`);

export type NamedWorkload = { readonly kind: string; readonly name: string };
export type ImpliedOwner = { readonly kind: 'ReplicaSet' | 'Job'; readonly name: string };

/** What generated this name, as far as the name shows it; undefined for a name that is stable. */
export function workloadOf({ kind, name }: NamedWorkload): NamedWorkload | undefined {
	if (kind === 'Job') {
		const [, cronJob, , suffix] = OF_CRON_JOB.exec(name) ?? [];
		return cronJob === undefined || suffix !== undefined ? undefined : { kind: 'CronJob', name: cronJob };
	}
	if (kind === 'ReplicaSet') {
		const [, deployment] = OF_REPLICA_SET.exec(name) ?? [];
		return deployment === undefined ? undefined : { kind: 'Deployment', name: deployment };
	}
	return kind === 'Pod' ? workloadOfPod(name) : undefined;
}

function workloadOfPod(name: string): NamedWorkload | undefined {
	const [, cronJob] = OF_CRON_JOB.exec(name) ?? [];
	if (cronJob !== undefined) return { kind: 'CronJob', name: cronJob };
	const [, deployment] = OF_DEPLOYMENT.exec(name) ?? [];
	if (deployment !== undefined) return { kind: 'Deployment', name: deployment };
	if (name.length === CUT_LENGTH && ENDS_GENERATED.test(name)) {
		const kept = name.slice(0, CUT_LENGTH - 5);
		const end = kept.lastIndexOf('-');
		if (end > 0) return { kind: 'Deployment', name: kept.slice(0, end) };
	}
	const [, daemonSet] = GENERATED.exec(name) ?? [];
	return daemonSet === undefined ? undefined : { kind: 'DaemonSet', name: daemonSet };
}

/** The owners that a name shows whole, the likeliest first. */
export function impliedOwners({ kind, name }: NamedWorkload): ImpliedOwner[] {
	if (kind !== 'Pod') return [];
	const [, owner] = GENERATED.exec(name) ?? [];
	if (owner === undefined) return [];
	if (OF_CRON_JOB.test(owner)) return [{ kind: 'Job', name: owner }];
	if (OF_REPLICA_SET.test(owner)) return [{ kind: 'ReplicaSet', name: owner }];
	return [
		{ kind: 'Job', name: owner },
		{ kind: 'ReplicaSet', name: owner },
	];
}
