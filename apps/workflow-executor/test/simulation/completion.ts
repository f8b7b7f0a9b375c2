// What is left to do in a situation, done in one order by one executor that sees everything, without interference.
import { machinery } from './environment.ts';
import { serve } from './model-kube.ts';
import { judge, judgeEnd, Violation } from './promises.ts';
import type { Situation, Steps } from './steps.ts';

export type Stuck = { readonly broken: string; readonly steps: readonly string[] };

/** Of each situation that is asked for: whether it ends well. */
export class Completion {
	readonly #steps: Steps;
	readonly #endsWell = new Set<number>();

	constructor(steps: Steps) {
		this.#steps = steps;
	}

	isKnown(situation: number): boolean {
		return this.#endsWell.has(situation);
	}

	async of(first: number): Promise<Stuck | undefined> {
		const { situations, code } = this.#steps;
		const labels: string[] = [];
		const way = new Set<number>();
		let at = first;
		const to = (label: string, { store, history }: Situation) => {
			labels.push(label);
			judge(store, history, situations.at(at));
			at = situations.numberOf({ store, history });
		};
		try {
			while (!this.#endsWell.has(at)) {
				if (way.has(at)) throw new Violation('it goes round in circles');
				way.add(at);
				const before = at;
				let point = await code.start(situations.at(at).store);
				while (point.is === 'working') {
					const { store, history } = situations.at(at);
					const served = serve(store, history, point.call);
					to(`${point.call.verb} ${point.call.resource}`, served);
					point = await point.answered(served.answer);
				}
				const machine = machinery(situations.at(at)).find(
					({ costs, mayNeverCome }) => costs === undefined && !mayNeverCome,
				);
				if (machine !== undefined) to(machine.label, machine);
				else if (at === before) {
					judgeEnd(situations.at(at).store);
					break;
				}
			}
		} catch (error) {
			if (!(error instanceof Violation)) throw error;
			return { broken: error.message, steps: labels };
		}
		for (const situation of way) this.#endsWell.add(situation);
		return undefined;
	}
}
