// The view of a target with the texts of all its active requests. Those that were left out of memory are read again, a few
// at a time, and of those only what the workflows mention is kept: a target may have hundreds of large requests.
// Guarantee: no decision is made from a request whose texts are missing.
import { mentionedTexts, onlyMentioned } from '../decide/workflow/mentioned-texts.ts';
import type { KnownObjects } from '../objects/known-objects.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { isActive, type Remediation, type Signal } from '../objects/remediation.ts';
import { withTexts } from '../objects/signal-texts.ts';
import type { TargetView } from '../objects/target-view.ts';
import type { Workflow } from '../objects/workflow.ts';

/** Complete; the same texts are not read twice as long as the workflows are the same. */
export type CompleteView = () => Promise<TargetView>;
export type TextReader = { completing(viewOf: () => TargetView): CompleteView };

// Of all targets together: an answer may have half a megabyte.
const MAX_READS = 4;
// Requests may come while others are read.
const MAX_ROUNDS = 5;

export function createTextReader(
	store: Pick<ObjectStore, 'getRequest'>,
	known: Pick<KnownObjects, 'requests'>,
): TextReader {
	const limited = limit(MAX_READS);

	function completing(viewOf: () => TargetView): CompleteView {
		const read = new Map<string, Signal>();
		let readFor = '';

		async function readOne(request: Remediation, workflows: readonly Workflow[]): Promise<void> {
			const fresh = await store.getRequest(request.name);
			if (fresh === undefined) return known.requests.removed(request);
			known.requests.changed(fresh);
			read.set(fresh.uid, { ...fresh.signal, ...onlyMentioned(fresh.signal, mentionedTexts(workflows)) });
		}
		return async () => {
			for (let round = 0; round < MAX_ROUNDS; round++) {
				const view = viewOf();
				if (!view.requests.some(lacksTexts)) return view;
				const workflows = versionsOf(view.workflows);
				if (readFor !== workflows) read.clear();
				readFor = workflows;
				const missing = view.requests.filter((request) => lacksTexts(request) && !read.has(request.uid));
				if (missing.length === 0) return { ...view, requests: view.requests.map(completed) };
				await Promise.all(missing.map((request) => limited(() => readOne(request, view.workflows))));
			}
			throw new Error('requests or workflows changed again and again while the requests were read');
		};

		function completed(request: Remediation): Remediation {
			const signal = lacksTexts(request) ? read.get(request.uid) : undefined;
			return signal === undefined ? request : withTexts(request, signal);
		}
	}
	return { completing };
}

function lacksTexts(request: Remediation): boolean {
	return !request.hasTexts && isActive(request);
}

function versionsOf(workflows: readonly Workflow[]): string {
	return workflows
		.map(({ uid, generation }) => `${uid}@${generation}`)
		.toSorted()
		.join();
}

/** Runs so many at a time. */
function limit(max: number): (run: () => Promise<void>) => Promise<void> {
	const waiting: (() => void)[] = [];
	let running = 0;
	return async (run) => {
		if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
		else running++;
		try {
			await run();
		} finally {
			const next = waiting.shift();
			if (next === undefined) running--;
			else next();
		}
	};
}
