// Every timeout of the scenarios, with its purpose.
export const TIMEOUTS = {
	/** Twelve processes start at once on a small machine. */
	allReplicasReadyMs: 60_000,
	/** How often a scenario looks at readiness, or at a phase. */
	lookMs: 25,
	/** Ends a wait for a phase that never comes; how soon it must come is the scenario's own. */
	phaseWrittenMs: 60_000,
	/** The readable total of a request is written this long after the last signal, at most. */
	settledMs: 3000,
} as const;
