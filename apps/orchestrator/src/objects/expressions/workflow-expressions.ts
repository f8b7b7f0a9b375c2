// The regular expressions of a RemediationWorkflow: names of signals, and patterns of parameters. The CRD takes RE2; the
// same engine here means the same meaning, and no expression that never ends. An expression that ends may still take
// seconds: what all expressions of a workflow compile to is bounded, and results are remembered.
// Compiled when they are first used, because a list may hold hundreds of workflows.
import { RE2JS } from 're2js';
import type { RemediationWorkflowSpec } from '../../generated/remediation-workflow.ts';
import { expressionSize } from './expression-size.ts';

/** Of all names of a workflow together, and of all patterns of its parameters; in compiled instructions. */
export const MAX_EXPRESSIONS_SIZE = 2000;
/** Names of signals whose result is remembered for each workflow. */
const MAX_REMEMBERED = 1000;

export type ExpressionProblem = {
	readonly reason: 'ExpressionTooCostly' | 'ExpressionUnreadable' | 'PatternTooCostly' | 'PatternUnreadable';
	readonly message: string;
};
type Matches = (text: string) => boolean;
type Compiled = { readonly expressions: ReadonlyMap<string, Matches>; readonly problem: Problem | undefined };
type Problem = { readonly kind: 'TooCostly' | 'Unreadable'; readonly message: string };

export class WorkflowExpressions {
	readonly #spec: Pick<RemediationWorkflowSpec, 'match' | 'parameterPatterns'>;
	readonly #exactNames: ReadonlySet<string> | undefined;
	readonly #remembered = new Map<string, boolean>();
	#names: Compiled | undefined;
	#patterns: Compiled | undefined;
	#problems: readonly ExpressionProblem[] | undefined;

	constructor(spec: Pick<RemediationWorkflowSpec, 'match' | 'parameterPatterns'>) {
		const { signalNames } = spec.match;
		this.#spec = spec;
		this.#exactNames =
			signalNames === undefined ? undefined : new Set(signalNames.filter((name) => !isExpression(name)));
	}

	/** One of `match.signalNames`; always true when there are none. */
	namesSignal(signalName: string): boolean {
		if (this.#exactNames === undefined || this.#exactNames.has(signalName)) return true;
		const { expressions } = this.#compiledNames();
		if (expressions.size === 0) return false;
		const remembered = this.#remembered.get(signalName);
		if (remembered !== undefined) return remembered;
		const matches = [...expressions.values()].some((matchesName) => matchesName(signalName));
		for (const oldest of this.#remembered.keys()) {
			if (this.#remembered.size < MAX_REMEMBERED) break;
			this.#remembered.delete(oldest);
		}
		this.#remembered.set(signalName, matches);
		return matches;
	}

	/** Undefined for a parameter without a pattern. A pattern that cannot be used fits no value. */
	patternOf(parameter: string): { readonly source: string; readonly fits: Matches } | undefined {
		const patterns = this.#spec.parameterPatterns ?? {};
		const source = Object.hasOwn(patterns, parameter) ? patterns[parameter] : undefined;
		if (source === undefined) return undefined;
		return { source, fits: this.#compiledPatterns().expressions.get(source) ?? (() => false) };
	}

	/** Why a part of the workflow cannot be used. */
	problems(): readonly ExpressionProblem[] {
		this.#problems ??= this.#findProblems();
		return this.#problems;
	}

	#findProblems(): readonly ExpressionProblem[] {
		const names = this.#compiledNames().problem;
		const patterns = this.#compiledPatterns().problem;
		return [
			...(names === undefined
				? []
				: [{ reason: `Expression${names.kind}`, message: `match.signalNames: ${names.message}` } as const]),
			...(patterns === undefined
				? []
				: [{ reason: `Pattern${patterns.kind}`, message: `parameterPatterns: ${patterns.message}` } as const]),
		];
	}

	#compiledNames(): Compiled {
		this.#names ??= compile((this.#spec.match.signalNames ?? []).filter(isExpression));
		return this.#names;
	}

	#compiledPatterns(): Compiled {
		this.#patterns ??= compile(Object.values(this.#spec.parameterPatterns ?? {}));
		return this.#patterns;
	}
}

function isExpression(signalName: string): boolean {
	return signalName.startsWith('^');
}

/** None of them when they are too costly together: which one to leave out is the author's choice. */
function compile(sources: readonly string[]): Compiled {
	const sizes = sources.map((source) => ({ source, size: expressionSize(source) }));
	const total = sizes.reduce((sum, { size }) => sum + size, 0);
	if (total > MAX_EXPRESSIONS_SIZE) return { expressions: new Map(), problem: describeTooCostly(sizes, total) };
	const expressions = new Map<string, Matches>();
	let problem: Problem | undefined;
	for (const source of sources) {
		try {
			const compiled = RE2JS.compile(source);
			expressions.set(source, (text) => compiled.matches(text));
		} catch {
			// The API server's release of the engine may know more than ours. The others must go on.
			problem ??= { kind: 'Unreadable', message: `${source} cannot be compiled here and matches nothing` };
		}
	}
	return { expressions, problem };
}

function describeTooCostly(sizes: readonly { source: string; size: number }[], total: number): Problem {
	const largest = sizes.reduce((a, b) => (b.size > a.size ? b : a));
	return {
		kind: 'TooCostly',
		message: `the expressions compile to about ${total} instructions, and at most ${MAX_EXPRESSIONS_SIZE} are allowed, so none of them is used; the largest is ${largest.source} with ${largest.size}: write * or + where it counts repetitions`,
	};
}
