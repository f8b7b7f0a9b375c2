// Bugs in acquiring a lock: exclusion, cost, identity, contention, faults, fencing, names.
import { type Mutant, mutant } from './mutant.ts';

const PROTOCOL = 'lock/lease-protocol.ts';
const LOCK = 'lock/lease-lock.ts';
const CLIENT = 'lock/lease-client.ts';

export const ACQUIRING: readonly Mutant[] = [
	mutant(
		'L1',
		'an API server that does not answer turns locking off',
		PROTOCOL,
		`			this.#abandon(write.holder, write.name);
			throw error;`,
		`			return { answer: { ...write, uid: '', resourceVersion: '1' }, sentAt, write };`,
	),
	mutant(
		'L1',
		'a lease that is there already is taken for ours',
		PROTOCOL,
		'if (remainingMs > 0) return contended(lease, remainingMs);',
		'if (remainingMs > 0) return { ...created, lease, takeover: false };',
	),
	{
		rule: 'L2',
		bug: 'the holder is the pod, and what is "already mine" is acquired: no exclusion inside a pod',
		changes: [
			{
				file: LOCK,
				old: "`${this.config.podName}_${randomBytes(8).toString('hex')}`",
				new: 'this.config.podName',
			},
			{ file: 'lock/lock-queue.ts', old: 'if (this.#waiters.has(key)) return undefined;', new: '' },
			{
				file: PROTOCOL,
				old: 'if (remainingMs > 0) return contended(lease, remainingMs);',
				new: 'if (lease.holder === holder) return { ...created, lease, takeover: false };',
			},
		],
	},
	mutant(
		'L2',
		'of the callers that wait in a process, the last one runs first',
		'lock/lock-queue.ts',
		'this.#waiters.get(key)?.shift()',
		'this.#waiters.get(key)?.pop()',
	),
	mutant(
		'L2',
		'a process that holds one key acquires no other',
		LOCK,
		'this.#queue.tryEnter(key)',
		"this.#queue.tryEnter('')",
	),
	mutant(
		'L3',
		'looks before it creates',
		PROTOCOL,
		'tries < CREATE_TRIES; tries++) {',
		'tries < CREATE_TRIES; tries++) { await this.#client.read(name);',
	),
	mutant(
		'L3',
		'looks before it deletes',
		PROTOCOL,
		'		let lease = known;',
		'		let lease = (await this.#client.read(known.name)) ?? known;',
	),
	mutant(
		'L4',
		'the holder is the name of the pod',
		LOCK,
		"`${this.config.podName}_${randomBytes(8).toString('hex')}`",
		'this.config.podName',
	),
	mutant(
		'L4',
		'a pod has one nonce for all its acquisitions',
		LOCK,
		"_${randomBytes(8).toString('hex')}`",
		"_${createHash('sha256').update(this.config.podName).digest('hex')}`",
	),
	mutant(
		'L4',
		'guesses its name in a cluster',
		'process/identity.ts',
		"environment['KUBERNETES_SERVICE_HOST'] !== undefined",
		"environment['KUBERNETES_SERVICE_HOST'] === ''",
	),
	mutant(
		'L5',
		'contention is an exception',
		LOCK,
		'			return result;\n',
		'			throw new Error(`held by ${result.holder}`);\n',
	),
	mutant(
		'L5',
		'a lock that another holds is reported as success',
		LOCK,
		"if (acquisition.outcome === 'contended') return acquisition;",
		"if (acquisition.outcome === 'contended') return { outcome: 'ran', value: undefined as T };",
	),
	mutant(
		'L5',
		'names the holder that it saw first, which is gone',
		PROTOCOL,
		'		const lease = await this.#client.read(name);',
		'		if (before !== undefined) return before;\n		const lease = await this.#client.read(name);',
	),
	mutant(
		'L5',
		'inspecting a free key is an exception',
		LOCK,
		'if (lease === undefined) return undefined;',
		"if (lease === undefined) throw new Error('not held');",
	),
	mutant(
		'L6',
		'a failing API server is reported as contention',
		LOCK,
		'if (error instanceof LockFault) this.#observer.failed({ key, fault: error });',
		"if (error instanceof LockFault) return { outcome: 'contended', holder: 'unknown', retryAfterMs: 1000 };",
	),
	mutant(
		'L6',
		'a missing right is reported as an API server that is away',
		CLIENT,
		"FORBIDDEN.has(code) ? 'forbidden' : 'unavailable'",
		"'unavailable'",
	),
	mutant(
		'L6',
		'after a fault the key stays blocked in this process',
		LOCK,
		`			slot.release();
			if (error instanceof LockFault)`,
		'			if (error instanceof LockFault)',
	),
	mutant(
		'L13',
		'the fencing token is the number of transitions, and begins anew with every lease',
		LOCK,
		'BigInt(acquired.lease.resourceVersion)',
		'BigInt(acquired.write.transitions)',
	),
	mutant(
		'L13',
		'the fencing token is the wall time',
		LOCK,
		'BigInt(acquired.lease.resourceVersion)',
		'BigInt(this.#clock.wallTime().getTime())',
	),
	mutant(
		'L15',
		'the name of the lease is the key with hyphens for slashes',
		LOCK,
		"createHash('sha256').update(key).digest('hex').slice(0, LEASE_HASH_LENGTH)",
		"key.replaceAll('/', '-')",
	),
	mutant(
		'L15',
		'keys that differ only in case share a lease',
		LOCK,
		"createHash('sha256').update(key)",
		"createHash('sha256').update(key.toLowerCase())",
	),
	mutant(
		'L15',
		'every pod has its own name for a key',
		LOCK,
		"createHash('sha256').update(key)",
		"createHash('sha256').update(this.config.podName + key)",
	),
	mutant('L15', 'a lease does not say which key it locks', CLIENT, 'annotations: { [KEY_ANNOTATION]: write.key },', ''),
	mutant('L15', 'leases have no label to watch them by', CLIENT, 'labels: { [LOCK_LABEL]: app },', ''),
];
