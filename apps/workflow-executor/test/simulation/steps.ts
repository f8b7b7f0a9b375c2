// What one executor, and the world around it, may do next. A step depends on where the executor is and on what there is, and on
// nothing else: it is worked out and judged once, however many worlds it is taken in.
import { interference, machinery } from './environment.ts';
import { ExecutorCode, type Mutation, type Point } from './executor-process.ts';
import type { History, Store } from './model.ts';
import { serve } from './model-kube.ts';
import { Numbered } from './numbered.ts';
import { judge, Violation } from './promises.ts';

export type Budget =
	/** Executions that come while others are at work. */
	'arrivals' | 'runDeletions' | 'executionDeletions' | 'withdrawals' | 'forgottenTasks';
export type Budgets = Readonly<Record<Budget, number>>;
export type Rules = Budgets & {
	readonly executions: number;
	readonly processes: number;
	/** A run keeps its target for a while after its end. */
	readonly cooldown: boolean;
	/** The watches of executions and of runs are of different age. */
	readonly viewsApart: boolean;
};
/** What there is and what has happened, without the executors. */
export type Situation = { readonly store: Store; readonly history: History };
type Judged = { readonly label: string; readonly situation: number; readonly broken: string | undefined };
export type ExecutorStep = Judged & { readonly point: number };
export type Change = Judged & { readonly left: number };

export class Steps {
	readonly situations = new Numbered<Situation>();
	readonly budgets = new Numbered<Budgets>();
	readonly code: ExecutorCode;
	readonly #rules: Rules;
	/** By point, then by situation. */
	readonly #ofExecutor: Map<number, readonly ExecutorStep[]>[] = [];
	/** By situation, then by budgets. */
	readonly #ofOthers: Map<number, readonly Change[]>[] = [];

	constructor(rules: Rules, mutation: Mutation) {
		this.#rules = rules;
		this.code = new ExecutorCode(mutation);
	}

	/** Undefined: not worked out yet. */
	known(point: number, situation: number): readonly ExecutorStep[] | undefined {
		return this.#ofExecutor[point]?.get(situation);
	}

	async ofExecutor(pointId: number, situation: number): Promise<readonly ExecutorStep[]> {
		const steps = await this.#workOut(this.code.point(pointId), situation);
		this.#ofExecutor[pointId] ??= new Map();
		this.#ofExecutor[pointId].set(situation, steps);
		return steps;
	}

	async #workOut(point: Point, situation: number): Promise<ExecutorStep[]> {
		const { store } = this.situations.at(situation);
		const { executions, run } = store;
		const at = (label: string, next: Point): ExecutorStep => ({ label, point: next.id, situation, broken: undefined });
		switch (point.is) {
			case 'idle': {
				const begun = at(' sees everything', await this.code.start(store));
				const looks = this.#rules.viewsApart
					? [at(' sees executions', this.code.look({ executions })), at(' sees runs', this.code.look({ run }))]
					: [];
				return [begun, ...looks].filter(({ point: next }) => next !== this.code.idle.id);
			}
			case 'looking':
				return [
					at(' sees the rest', await this.code.start({ executions, run, ...point.seen })),
					at(' crashes', this.code.idle),
				];
			case 'working':
				return [await this.#served(point, situation), at(' crashes', this.code.idle)];
		}
	}

	async #served({ call, answered }: Extract<Point, { is: 'working' }>, situation: number): Promise<ExecutorStep> {
		const { store, history } = this.situations.at(situation);
		const isWrite = call.verb === 'patch' || call.verb === 'delete';
		const label = `: ${call.verb} ${call.resource}${isWrite ? ` ${JSON.stringify(call.body)}` : ''}`;
		const served = serve(store, history, call);
		const next = await answered(served.answer);
		return { ...this.#judged(label, situation, served), point: next.id };
	}

	/** Of Tekton, of the collector, of people and of the orchestrator. */
	ofOthers(situation: number, left: number): readonly Change[] {
		const known = this.#ofOthers[situation]?.get(left);
		if (known !== undefined) return known;
		const facts = this.situations.at(situation);
		const budgets = this.budgets.at(left);
		const changes = [...machinery(facts), ...interference(facts, budgets, this.#rules)]
			.filter(({ costs }) => costs === undefined || budgets[costs] > 0)
			.map(({ label, costs, ...after }) => ({
				...this.#judged(label, situation, after),
				left: costs === undefined ? left : this.budgets.numberOf({ ...budgets, [costs]: budgets[costs] - 1 }),
			}));
		this.#ofOthers[situation] ??= new Map();
		this.#ofOthers[situation].set(left, changes);
		return changes;
	}

	#judged(label: string, before: number, { store, history }: Situation): Judged {
		const judged = { label, situation: this.situations.numberOf({ store, history }) };
		try {
			judge(store, history, this.situations.at(before));
			return { ...judged, broken: undefined };
		} catch (error) {
			if (!(error instanceof Violation)) throw error;
			return { ...judged, broken: error.message };
		}
	}
}
