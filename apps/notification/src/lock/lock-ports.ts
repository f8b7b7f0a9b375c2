// The ports of the lock, beside the clock: Leases, and an observer.
import type { LockFault, Loss } from './lock-errors.ts';

/** A Lease as the lock sees it. */
export type Lease = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly holder: string | undefined;
	readonly durationMs: number | undefined;
	readonly transitions: number;
	/** As its holder wrote it, in the time of the holder's machine: for people, never for decisions. */
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

/** Expected answers are values; errors are `LockFault`s. Every call has a timeout of its own. */
export type LeaseClient = {
	create(write: LeaseWrite): Promise<Lease | 'exists'>;
	read(name: string): Promise<Lease | undefined>;
	/** Compare-and-set on the version given. */
	replace(current: Lease, write: LeaseWrite): Promise<Lease | 'changed' | 'gone'>;
	/** Removes this version of this object, and no other. */
	remove(current: Lease): Promise<'removed' | 'changed' | 'gone'>;
};

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
