// Turns of the event loop, one for each request. A burst arrives in one turn, and taking all of it at once would keep the
// answers of the API server waiting until the last of it is read; the first request's lock and its creation would begin
// only then. Whoever comes to an idle loop goes on at once.

export type LoopTurns = {
	/** Ends when it is the caller's turn. */
	take(): Promise<void>;
};

/** `onNextTurn` calls back once, after what has arrived by then was read. */
export function createLoopTurns(onNextTurn: (callback: () => void) => unknown = setImmediate): LoopTurns {
	const waiting: (() => void)[] = [];
	let isTaken = false;
	function next(): void {
		const first = waiting.shift();
		isTaken = first !== undefined;
		if (first === undefined) return;
		onNextTurn(next);
		first();
	}
	return {
		take() {
			if (isTaken) return new Promise((resolve) => waiting.push(resolve));
			isTaken = true;
			onNextTurn(next);
			return Promise.resolve();
		},
	};
}
