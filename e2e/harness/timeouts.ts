// Every timeout of the scenarios, with its purpose.
export const TIMEOUTS = {
	/** Twelve processes start at once on a small machine. */
	allReplicasReadyMs: 60_000,
	/** How often a scenario looks at readiness while replicas are replaced. */
	lookMs: 25,
} as const;
