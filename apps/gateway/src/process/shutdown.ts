// Shutdown on SIGTERM and SIGINT: first not ready (load balancers stop sending), then the steps in order, all within the
// grace period. A second signal, or a step that exceeds the grace period, ends the process at once with code 1.
import { setTimeout as delay } from 'node:timers/promises';

export type ShutdownStep = { readonly name: string; run(): Promise<unknown> };
/** "forced": a step failed, or the process ends before its steps are done. */
export type ShutdownObserver = {
	draining(detail: string): void;
	stopped(detail: string): void;
	forced(detail: string): void;
};
export type ShutdownOptions = {
	readonly drainMs: number;
	readonly graceMs: number;
	startDraining(): void;
	readonly steps: readonly ShutdownStep[];
	readonly observer: ShutdownObserver;
};

export function shutDownOnSignals(options: ShutdownOptions): void {
	let started = false;
	const onSignal = (signal: NodeJS.Signals) => {
		if (started) {
			options.observer.forced(`second signal ${signal}`);
			process.exit(1);
		}
		started = true;
		void shutDown(signal, options);
	};
	process.on('SIGTERM', onSignal);
	process.on('SIGINT', onSignal);
}

async function shutDown(signal: NodeJS.Signals, options: ShutdownOptions): Promise<void> {
	let current = 'drain';
	setTimeout(() => {
		options.observer.forced(`${current} was not done within ${options.graceMs} ms`);
		process.exit(1);
	}, options.graceMs); // the timer also keeps the process alive: a step that waits for ever must not end as a success

	options.observer.draining(signal);
	options.startDraining();
	await delay(options.drainMs);
	let code = 0;
	for (const step of options.steps) {
		current = step.name;
		try {
			await step.run();
		} catch (error) {
			// The other steps run although one failed.
			options.observer.forced(`${step.name}: ${error instanceof Error ? error.message : String(error)}`);
			code = 1;
		}
	}
	options.observer.stopped(signal);
	process.exit(code);
}
