// The first Ctrl-C (or SIGTERM) asks for an orderly end; a command that is done with its clean-up ends by itself.
export function onInterrupt(): AbortSignal {
	const interrupt = new AbortController();
	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
		process.on(name, () => {
			if (!interrupt.signal.aborted) console.error('\nInterrupted: cleaning up.');
			interrupt.abort(new Error('interrupted'));
		});
	return interrupt.signal;
}

/** The exit code; says what went wrong. */
export function describeOutcome(error: unknown, interrupt: AbortSignal): number {
	if (interrupt.aborted) return 130;
	console.error(`\n${error instanceof Error ? error.message : String(error)}`);
	return 1;
}
