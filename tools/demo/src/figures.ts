// A storm in numbers. Everything here was measured; nothing is known beforehand.
import type { StormRecord } from '@kubernaut/bench/storm';

export type StormFigures = {
	readonly signals: number;
	/** Answers by what they say: 201, 202, everything else. */
	readonly created: number;
	readonly counted: number;
	readonly failed: number;
	/** The words of the failed answers, the most frequent first. */
	readonly failures: readonly { readonly words: string; readonly times: number }[];
	/** RemediationRequests that there are afterwards, and what they count together. */
	readonly requests: number;
	readonly occurrences: number;
	/** Undefined where there is no audit log to count them. */
	readonly calls: number | undefined;
	/** "create leases", the most frequent first. */
	readonly callsBy: readonly { readonly what: string; readonly times: number }[];
	readonly lastAnswerMs: number;
};

export function figuresOf({ answers, counts, calls, lastAnswerMs }: Omit<StormRecord, 'deployment'>): StormFigures {
	const failed = answers.filter(({ status }) => status !== 201 && status !== 202);
	const failures = frequencies(failed.map(({ status, text }) => `${status}: ${describeBody(text)}`));
	const callsBy = frequencies((calls ?? []).map(({ verb, resource }) => `${verb} ${resource}`));
	return {
		signals: answers.length,
		created: answers.filter(({ status }) => status === 201).length,
		counted: answers.filter(({ status }) => status === 202).length,
		failed: failed.length,
		failures: failures.map(([words, times]) => ({ words, times })),
		requests: counts.length,
		occurrences: counts.reduce((sum, count) => sum + count, 0),
		calls: calls?.length,
		callsBy: callsBy.map(([what, times]) => ({ what, times })),
		lastAnswerMs,
	};
}

/** While answers come in: how many, by what they say. */
export class Tally {
	readonly #signals: number;
	readonly #byStatus = new Map<number, number>([
		[201, 0],
		[202, 0],
	]);

	constructor(signals: number) {
		this.#signals = signals;
	}

	add(status: number): void {
		this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
	}

	describe(): string {
		const all = [...this.#byStatus.values()].reduce((sum, count) => sum + count, 0);
		const codes = [...this.#byStatus].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
		return `${all} of ${this.#signals} answered    ${codes.join('    ')}`;
	}
}

function frequencies(values: readonly string[]): [value: string, times: number][] {
	const times = new Map<string, number>();
	for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
	return [...times].toSorted(([, a], [, b]) => b - a);
}

/** What a failed answer says in its body, as far as one line goes. */
function describeBody(body: string): string {
	const longest = 100;
	const message = messageIn(body) ?? body;
	const line = message.replaceAll(/\s+/g, ' ').trim();
	return line.length > longest ? `${line.slice(0, longest)}...` : line;
}

function messageIn(body: string): string | undefined {
	try {
		const { message, detail, title } = JSON.parse(body) as Record<string, unknown>;
		return [message, detail, title].find((text) => typeof text === 'string');
	} catch {
		return undefined; // no JSON: the body itself is all there is
	}
}
