// Everything that a lock reports to its observer, in order.
import type { AnyLockObserver } from './lock-port.ts';

/** Events of a Lease lock, beside those of any lock. */
export type LeaseObserver = AnyLockObserver & {
	lost(event: { key: string; holder: string; loss: string }): void;
	swept(event: { name: string; holder: string | undefined }): void;
	waiting(count: number): void;
};
type EventOf<N extends keyof LeaseObserver> = Parameters<LeaseObserver[N]>[0];
export type LockEvent =
	| { readonly name: 'attempted' }
	| ({ readonly name: 'acquired' } & EventOf<'acquired'>)
	| ({ readonly name: 'contended' } & EventOf<'contended'>)
	| ({ readonly name: 'failed' } & EventOf<'failed'>)
	| ({ readonly name: 'released' } & EventOf<'released'>)
	| ({ readonly name: 'releaseFailed' } & EventOf<'releaseFailed'>)
	| ({ readonly name: 'lost' } & EventOf<'lost'>)
	| ({ readonly name: 'swept'; readonly lease: string } & Pick<EventOf<'swept'>, 'holder'>);

export class RecordedObserver implements LeaseObserver {
	readonly events: LockEvent[] = [];
	/** The number of callers that wait in this process, as last reported. */
	waiters = 0;

	attempted(): void {
		this.events.push({ name: 'attempted' });
	}
	acquired(event: EventOf<'acquired'>): void {
		this.events.push({ name: 'acquired', ...event });
	}
	contended(event: EventOf<'contended'>): void {
		this.events.push({ name: 'contended', ...event });
	}
	failed(event: EventOf<'failed'>): void {
		this.events.push({ name: 'failed', ...event });
	}
	released(event: EventOf<'released'>): void {
		this.events.push({ name: 'released', ...event });
	}
	releaseFailed(event: EventOf<'releaseFailed'>): void {
		this.events.push({ name: 'releaseFailed', ...event });
	}
	lost(event: EventOf<'lost'>): void {
		this.events.push({ name: 'lost', ...event });
	}
	swept({ name, holder }: EventOf<'swept'>): void {
		this.events.push({ name: 'swept', lease: name, holder });
	}
	waiting(count: number): void {
		this.waiters = count;
	}

	names(): LockEvent['name'][] {
		return this.events.map(({ name }) => name);
	}

	count(name: LockEvent['name']): number {
		return this.events.filter((event) => event.name === name).length;
	}
}
