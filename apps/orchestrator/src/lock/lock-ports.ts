// What the lock needs from the world, and nothing else: Leases, time, and somebody who watches.

/** A Lease as the lock sees it. */
export type Lease = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly holder: string | undefined;
	readonly durationMs: number | undefined;
	readonly transitions: number;
	/** When its holder acquired it, in the holder's own words and time: for people, never for decisions. */
	readonly acquireTime: string | undefined;
};

export type LeaseWrite = {
	readonly name: string;
	readonly key: string;
	readonly holder: string;
	readonly durationMs: number;
	readonly transitions: number;
	readonly acquireTime: string;
	readonly renewTime: string;
};

/** Expected answers are values; what is thrown is a `LockFault`. Every call has a timeout of its own. */
export type LeaseClient = {
	create(write: LeaseWrite): Promise<Lease | 'exists'>;
	read(name: string): Promise<Lease | undefined>;
	/** Compare-and-set on exactly the version given. */
	replace(current: Lease, write: LeaseWrite): Promise<Lease | 'changed' | 'gone'>;
	/** Only this very version of this very object. */
	remove(current: Lease): Promise<'removed' | 'changed' | 'gone'>;
};

export const LOCK_FAULTS = ['forbidden', 'unavailable', 'timeout'] as const;
export type LockFaultKind = (typeof LOCK_FAULTS)[number];

/** The API server could not say yes or no. */
export class LockFault extends Error {
	readonly kind: LockFaultKind;
	constructor(kind: LockFaultKind, message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = 'LockFault';
		this.kind = kind;
	}
}

/** `now` never goes back and does not stop while the process does; `wallTime` is only written down for people. */
export type LockClock = {
	now(): number;
	wallTime(): Date;
	setTimer(onElapsed: () => void, delayMs: number): () => void;
};

export const LOSSES = ['expired', 'taken', 'removed'] as const;
export type Loss = (typeof LOSSES)[number];

export type LockObserver = {
	attempted(): void;
	acquired(event: { key: string; holder: string; seconds: number; takeover: boolean }): void;
	contended(event: { key: string; holder: string }): void;
	failed(event: { key: string; fault: LockFault }): void;
	released(event: { key: string; holder: string; heldSeconds: number }): void;
	releaseFailed(event: { key: string; holder: string; error: unknown }): void;
	lost(event: { key: string; holder: string; loss: Loss }): void;
	swept(event: { name: string; holder: string | undefined }): void;
	waiting(count: number): void;
};
