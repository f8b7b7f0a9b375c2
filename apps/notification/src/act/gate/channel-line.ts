// The line in front of a channel: messages are sent in the order in which they came, a few at a time; with a pace, one at a
// time. Nothing is held while a message waits here.

export class ChannelLine {
	readonly #places: number;
	readonly #waiting: (() => void)[] = [];
	readonly #onLength: (length: number) => void;
	#taken = 0;
	#closed = false;

	constructor(places: number, onLength: (length: number) => void = () => {}) {
		this.#places = places;
		this.#onLength = onLength;
	}

	/** Whether a place is free now. */
	get isFree(): boolean {
		return this.#taken < this.#places;
	}

	get length(): number {
		return this.#waiting.length;
	}

	/** Runs it in its turn; undefined when the line was closed before that. */
	async run<T>(work: () => Promise<T>): Promise<T | undefined> {
		if (!this.#closed && !this.isFree) {
			await new Promise<void>((resolve) => {
				this.#waiting.push(resolve);
				this.#onLength(this.#waiting.length);
			});
		} else this.#taken++;
		try {
			return this.#closed ? undefined : await work();
		} finally {
			const next = this.#waiting.shift();
			if (next === undefined) this.#taken--;
			else {
				this.#onLength(this.#waiting.length);
				next(); // the place passes on
			}
		}
	}

	/** Nothing new begins; what waits is sent away. */
	close(): void {
		this.#closed = true;
		this.#taken += this.#waiting.length;
		for (const next of this.#waiting.splice(0)) next();
		this.#onLength(0);
	}
}
