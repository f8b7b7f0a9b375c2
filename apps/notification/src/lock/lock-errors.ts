// The errors of the lock. Contention is not among them: it is a value.

/** `forbidden` and `throttled`: the call was not done. After the others it may have been. */
export const LOCK_FAULTS = ['forbidden', 'throttled', 'unavailable', 'timeout'] as const;
export type LockFaultKind = (typeof LOCK_FAULTS)[number];

/** The API server gave no answer that decides. */
export class LockFault extends Error {
	readonly kind: LockFaultKind;
	constructor(kind: LockFaultKind, message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = 'LockFault';
		this.kind = kind;
	}
}

export const LOSSES = ['expired', 'taken', 'removed'] as const;
export type Loss = (typeof LOSSES)[number];

export class LockLostError extends Error {
	readonly key: string;
	/** "released" is our own release: nothing may be done under the lock any more, but nothing went wrong. */
	readonly loss: Loss | 'released';
	constructor(key: string, loss: Loss | 'released') {
		super(`the lock on ${key} is not held any more: ${loss}`);
		this.name = 'LockLostError';
		this.key = key;
		this.loss = loss;
	}
}

/** Nothing new is acquired while the process shuts down. */
export class LockClosedError extends Error {
	constructor() {
		super('the lock is closed: this replica is shutting down');
		this.name = 'LockClosedError';
	}
}
