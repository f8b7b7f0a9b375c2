// Errors of some of several steps, kept while the other steps go on.

export class Faults {
	readonly #errors: unknown[] = [];

	async keep(run: () => Promise<void>): Promise<void> {
		try {
			await run();
		} catch (error) {
			this.#errors.push(error);
		}
	}

	/** The first says most: the later ones are often its consequence. */
	throwFirst(): void {
		if (this.#errors.length > 0) throw this.#errors[0];
	}
}
