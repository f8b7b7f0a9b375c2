// Everything that a lock told its observer, in order.
import type { ContractFault, ContractObserver } from './contract-types.ts';

type Told<N extends keyof ContractObserver> = Parameters<ContractObserver[N]>[0];
export type LockEvent =
	| { readonly name: 'attempted' }
	| ({ readonly name: 'acquired' } & Told<'acquired'>)
	| ({ readonly name: 'contended' } & Told<'contended'>)
	| ({ readonly name: 'failed' } & Told<'failed'>)
	| ({ readonly name: 'released' } & Told<'released'>)
	| ({ readonly name: 'releaseFailed' } & Told<'releaseFailed'>)
	| ({ readonly name: 'lost' } & Told<'lost'>)
	| ({ readonly name: 'swept'; readonly lease: string } & Pick<Told<'swept'>, 'holder'>);

export class RecordedObserver implements ContractObserver {
	readonly events: LockEvent[] = [];
	/** The number of callers in line, as last told. */
	inLine = 0;

	attempted(): void {
		this.events.push({ name: 'attempted' });
	}
	acquired(event: Told<'acquired'>): void {
		this.events.push({ name: 'acquired', ...event });
	}
	contended(event: Told<'contended'>): void {
		this.events.push({ name: 'contended', ...event });
	}
	failed(event: { key: string; fault: ContractFault }): void {
		this.events.push({ name: 'failed', ...event });
	}
	released(event: Told<'released'>): void {
		this.events.push({ name: 'released', ...event });
	}
	releaseFailed(event: Told<'releaseFailed'>): void {
		this.events.push({ name: 'releaseFailed', ...event });
	}
	lost(event: Told<'lost'>): void {
		this.events.push({ name: 'lost', ...event });
	}
	swept({ name, holder }: Told<'swept'>): void {
		this.events.push({ name: 'swept', lease: name, holder });
	}
	waiting(count: number): void {
		this.inLine = count;
	}

	names(): LockEvent['name'][] {
		return this.events.map(({ name }) => name);
	}

	count(name: LockEvent['name']): number {
		return this.events.filter((event) => event.name === name).length;
	}
}
