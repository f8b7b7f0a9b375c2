// SIGTERM and SIGINT: first not ready (the load balancer looks away), then the steps in order, all inside the grace
// period. A second signal, or a step that hangs, ends the process at once with code 1.
import { setTimeout as delay } from 'node:timers/promises';

export type ShutdownStep = { readonly name: string; run(): Promise<unknown> };
export type ShutdownOptions = {
	readonly drainMs: number;
	readonly graceMs: number;
	startDraining(): void;
	readonly steps: readonly ShutdownStep[];
	tell(event: 'draining' | 'stopped' | 'forced', detail: string): void;
};

export function shutDownOnSignals(options: ShutdownOptions): void {
	let begun = false;
	const onSignal = (signal: NodeJS.Signals) => {
		if (begun) {
			options.tell('forced', `second signal ${signal}`);
			process.exit(1);
		}
		begun = true;
		void shutDown(signal, options);
	};
	process.on('SIGTERM', onSignal);
	process.on('SIGINT', onSignal);
}

async function shutDown(signal: NodeJS.Signals, options: ShutdownOptions): Promise<void> {
	let current = 'drain';
	setTimeout(() => {
		options.tell('forced', `${current} was not done within ${options.graceMs} ms`);
		process.exit(1);
	}, options.graceMs); // it also keeps us here: a step that waits for nothing real must not end as a success

	options.tell('draining', signal);
	options.startDraining();
	await delay(options.drainMs);
	let code = 0;
	for (const step of options.steps) {
		current = step.name;
		try {
			await step.run();
		} catch (error) {
			// One step that fails must not keep the others from being done.
			options.tell('forced', `${step.name}: ${error instanceof Error ? error.message : String(error)}`);
			code = 1;
		}
	}
	options.tell('stopped', signal);
	process.exit(code);
}
