// Plays the executor: every execution that shows up runs for a while and ends well. Until the test file ends.

import { setTimeout as delay } from 'node:timers/promises';
import { atTheEnd } from '@kubernaut/testkit';
import { MARKER_WORKFLOW, type World } from './world.ts';

export type PlayOptions = { readonly runMs: number };

export function playExecutor(world: World, { runMs }: PlayOptions): void {
	const stopping = new AbortController();
	const seen = new Set<string>();
	const ending = new Set<Promise<void>>();
	async function run(name: string): Promise<void> {
		await delay(runMs, undefined, { signal: stopping.signal });
		await world.endExecution(name, 'Completed');
	}
	async function play(): Promise<void> {
		while (!stopping.signal.aborted) {
			for (const { metadata, spec, status } of await world.executions()) {
				if (spec.workflowRef.name === MARKER_WORKFLOW) continue; // they are ended by whoever made them
				if (status?.phase !== undefined || seen.has(metadata.uid)) continue;
				seen.add(metadata.uid);
				const one = run(metadata.name).finally(() => ending.delete(one));
				one.catch(() => seen.delete(metadata.uid)); // the API server was away: again
				ending.add(one);
			}
			await delay(50, undefined, { signal: stopping.signal });
		}
	}
	const playing = untilStopped(play);
	async function untilStopped(work: () => Promise<void>): Promise<void> {
		while (!stopping.signal.aborted) await work().catch(() => delay(100));
	}
	atTheEnd(async () => {
		stopping.abort();
		await playing;
		await Promise.allSettled(ending);
	});
}
