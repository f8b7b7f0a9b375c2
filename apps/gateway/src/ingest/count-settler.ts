// Keeps the readable count of requests (`occurrenceCount`, a printer column) up to date with what all processes have counted
// in their slots: within a second by the process that wrote last, within about two by any other when that one is gone.
// Nothing decides by the readable count, so a fault here is not reported: another try follows.
import type { RequestLink } from '../objects/request-link.ts';
import { totalOf } from '../objects/request-link.ts';
import type { RequestStore } from '../objects/request-store.ts';
import type { Clock } from '../process/clock.ts';

export type SettlerPorts = {
	readonly store: Pick<RequestStore, 'settle'>;
	readonly clock: Pick<Clock, 'now' | 'setTimer'>;
	/** From 0 up to 1, as Math.random gives it. */
	readonly random: () => number;
	/** The answer to a write of ours. */
	readonly onWritten: (link: RequestLink) => void;
};

type Unsettled = {
	link: RequestLink;
	/** Since when the readable count has been behind. */
	readonly sinceMs: number;
	/** Replicas that step in for another do so one after the other. */
	readonly extraMs: number;
	cancelTimer: () => void;
};

const LAST_WRITER_AFTER_MS = 1000;
const OTHERS_AFTER_MS = 2000;
const OTHERS_SPREAD_MS = 1000;
// After an outage many requests are behind; their counts can wait, signals cannot.
const MAX_RUNNING = 4;

export class CountSettler {
	readonly #ports: SettlerPorts;
	/** By uid of the request. */
	readonly #unsettled = new Map<string, Unsettled>();
	/** Uid → the version that this process wrote last. */
	readonly #written = new Map<string, string>();
	#running = 0;

	constructor(ports: SettlerPorts) {
		this.#ports = ports;
	}

	/** This process has counted, which made this version. */
	counted({ uid, resourceVersion }: RequestLink): void {
		this.#written.set(uid, resourceVersion);
	}

	/** The newest version of a request that this process knows. */
	changed(link: RequestLink): void {
		const known = this.#unsettled.get(link.uid);
		known?.cancelTimer();
		if (!isBehind(link)) {
			this.forget(link);
			return;
		}
		const entry: Unsettled =
			known?.link.occurrenceCount === link.occurrenceCount ? Object.assign(known, { link }) : this.#begin(link);
		this.#unsettled.set(link.uid, entry);
		this.#arm(entry);
	}

	forget({ uid }: Pick<RequestLink, 'uid'>): void {
		this.#unsettled.get(uid)?.cancelTimer();
		this.#unsettled.delete(uid);
		this.#written.delete(uid);
	}

	get size(): number {
		return this.#unsettled.size + this.#written.size;
	}

	/** What this process wrote last is settled before it goes. */
	async stop(): Promise<void> {
		const entries = [...this.#unsettled.values()];
		for (const { cancelTimer } of entries) cancelTimer();
		this.#unsettled.clear();
		await Promise.all(entries.filter(({ link }) => this.#isLastWriter(link)).map(({ link }) => this.#write(link)));
	}

	#begin(link: RequestLink): Unsettled {
		const extraMs = this.#ports.random() * OTHERS_SPREAD_MS;
		return { link, sinceMs: this.#ports.clock.now(), extraMs, cancelTimer: () => {} };
	}

	#arm(entry: Unsettled, atLeastMs = 0): void {
		const { clock } = this.#ports;
		const waitMs = this.#isLastWriter(entry.link) ? LAST_WRITER_AFTER_MS : OTHERS_AFTER_MS + entry.extraMs;
		const leftMs = Math.max(atLeastMs, entry.sinceMs + waitMs - clock.now());
		entry.cancelTimer = clock.setTimer(() => void this.#settle(entry), leftMs);
	}

	async #settle(entry: Unsettled): Promise<void> {
		if (this.#running >= MAX_RUNNING) {
			this.#arm(entry, LAST_WRITER_AFTER_MS);
			return;
		}
		this.#running++;
		const answer = await this.#write(entry.link);
		this.#running--;
		if (answer === 'gone') this.forget(entry.link);
		// Refused or failed: the watch reports why, or the time comes again.
		else if (answer === undefined && this.#unsettled.get(entry.link.uid) === entry) this.#arm(entry, OTHERS_AFTER_MS);
	}

	async #write(link: RequestLink): Promise<'written' | 'gone' | undefined> {
		try {
			const answer = await this.#ports.store.settle(link);
			if (answer === 'gone') return 'gone';
			if (answer === 'changed') return undefined;
			if (this.#isLastWriter(link)) this.counted(answer);
			this.#ports.onWritten(answer);
			return 'written';
		} catch {
			return undefined; // it is tried again, by this process or another
		}
	}

	#isLastWriter({ uid, resourceVersion }: RequestLink): boolean {
		return this.#written.get(uid) === resourceVersion;
	}
}

function isBehind(link: RequestLink): boolean {
	return link.occurrenceCount < totalOf(link);
}
