// The app's own client on the real API server, with a tap: it records the calls, and a check can lose an answer, hold a
// call, or fail it.
import { setImmediate as turn } from 'node:timers/promises';
import type { ContractLease, ContractLeaseClient, ContractLeaseWrite } from './lock-modules.ts';

const VERBS = ['create', 'read', 'replace', 'remove'] as const;
export type Verb = (typeof VERBS)[number];
export type TappedCall = { readonly verb: Verb; readonly name: string; readonly at: number };
/** Replaces one call; `send` passes it on to the API server. */
type Interception = (send: () => Promise<unknown>) => Promise<unknown>;

/** A call that a check holds back. */
export type Gate = {
	/** Settles when a call stands at the gate. */
	readonly reached: Promise<void>;
	open(): void;
};

export class TappedClient implements ContractLeaseClient {
	readonly calls: TappedCall[] = [];
	/** The maximum number of calls of one verb that were under way at the same time. */
	readonly maxAtOnce: Record<Verb, number> = { create: 0, read: 0, replace: 0, remove: 0 };
	readonly #underWay: Record<Verb, number> = { create: 0, read: 0, replace: 0, remove: 0 };
	readonly #next = new Map<Verb, Interception[]>();
	readonly #always = new Map<Verb, Interception>();
	readonly #real: ContractLeaseClient;
	readonly #now: () => number;
	/** Calls that are with the API server. */
	#sent = 0;

	constructor(real: ContractLeaseClient, now: () => number) {
		this.#real = real;
		this.#now = now;
	}

	create(write: ContractLeaseWrite): Promise<ContractLease | 'exists'> {
		return this.#tap('create', write.name, () => this.#real.create(write));
	}
	read(name: string): Promise<ContractLease | undefined> {
		return this.#tap('read', name, () => this.#real.read(name));
	}
	replace(current: ContractLease, write: ContractLeaseWrite): Promise<ContractLease | 'changed' | 'gone'> {
		return this.#tap('replace', current.name, () => this.#real.replace(current, write));
	}
	remove(current: ContractLease): Promise<'removed' | 'changed' | 'gone'> {
		return this.#tap('remove', current.name, () => this.#real.remove(current));
	}

	/** The next call of this verb. */
	next(verb: Verb, interception: Interception): void {
		this.#next.set(verb, [...(this.#next.get(verb) ?? []), interception]);
	}

	/** Every call of this verb, until `undefined` is given. */
	always(verb: Verb, interception: Interception | undefined): void {
		if (interception === undefined) this.#always.delete(verb);
		else this.#always.set(verb, interception);
	}

	/** The next call reaches the API server, its answer does not come back. */
	loseAnswer(verb: Verb, fault: Error): void {
		this.next(verb, async (send) => {
			await send();
			throw fault;
		});
	}

	/** The next call does not reach the API server. */
	fail(verb: Verb, fault: Error): void {
		this.next(verb, () => Promise.reject(fault));
	}

	/** No call of any verb reaches the API server, as of a pod that is cut off; until `undefined` is given. */
	cutOff(fault: Error | undefined): void {
		for (const verb of VERBS) this.always(verb, fault === undefined ? undefined : () => Promise.reject(fault));
	}

	/** The next call waits before it is sent. */
	holdBefore(verb: Verb): Gate {
		const { gate, passed } = createGate();
		this.next(verb, async (send) => {
			await passed();
			return send();
		});
		return gate;
	}

	/** The next call is done, its answer waits. */
	holdAnswer(verb: Verb): Gate {
		const { gate, passed } = createGate();
		this.next(verb, async (send) => {
			const answer = await send();
			await passed();
			return answer;
		});
		return gate;
	}

	/** The caller gets a fault at once; the call reaches the API server when the gate is opened. */
	landLate(verb: Verb, fault: Error): Gate & { readonly landed: Promise<unknown> } {
		const { gate, passed } = createGate();
		const landed = Promise.withResolvers<unknown>();
		this.next(verb, (send) => {
			landed.resolve(passed().then(send));
			return Promise.reject(fault);
		});
		return { ...gate, landed: landed.promise };
	}

	verbs(): Verb[] {
		return this.calls.map(({ verb }) => verb);
	}

	/** When nothing is with the API server, and nothing follows from the last answer. */
	async settled(): Promise<void> {
		for (let quietTurns = 0; quietTurns < 3; quietTurns++) {
			await turn();
			if (this.#sent > 0) quietTurns = -1;
		}
	}

	async #tap<T>(verb: Verb, name: string, call: () => Promise<T>): Promise<T> {
		this.calls.push({ verb, name, at: this.#now() });
		this.maxAtOnce[verb] = Math.max(this.maxAtOnce[verb], ++this.#underWay[verb]);
		const send = async () => {
			this.#sent++;
			try {
				return await call();
			} finally {
				this.#sent--;
			}
		};
		const interception = this.#next.get(verb)?.shift() ?? this.#always.get(verb);
		try {
			return (await (interception === undefined ? send() : interception(send))) as T;
		} finally {
			this.#underWay[verb]--;
		}
	}
}

function createGate(): { gate: Gate; passed(): Promise<void> } {
	const reached = Promise.withResolvers<void>();
	const opened = Promise.withResolvers<void>();
	return {
		gate: { reached: reached.promise, open: () => opened.resolve() },
		passed: () => {
			reached.resolve();
			return opened.promise;
		},
	};
}
