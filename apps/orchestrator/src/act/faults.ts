// What went wrong with some of several, while the others go on.

export class Faults {
	readonly #errors: unknown[] = [];

	async keep(run: () => Promise<void>): Promise<void> {
		try {
			await run();
		} catch (error) {
			this.#errors.push(error);
		}
	}

	/** The first tells most: those after it are often its consequence. */
	throwFirst(): void {
		if (this.#errors.length > 0) throw this.#errors[0];
	}
}
