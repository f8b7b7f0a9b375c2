// Every time limit of the scenarios, with its purpose. They end what hangs; what is measured has a limit of its own there.
export const TIMEOUTS = {
	/** Twelve processes or pods start at once on a small machine. */
	allReplicasReadyMs: 180_000,
	/** How often a scenario looks. */
	lookMs: 100,
	/** A fact that must come about by itself. */
	eventuallyMs: 120_000,
	/** From the last work to the readiness of a replica that was refused its part; the kubelet asks every few seconds. */
	readyAgainMs: 30_000,
	/** The readable total of a request is written this long after the last signal, at most. */
	settledMs: 15_000,
	/** A sender gives up on a signal; Alertmanager goes on for longer. */
	sendingMs: 120_000,
	/** A hundred messages one after the other, each with its calls, on a machine that is busy. */
	allMessagesMs: 360_000,
	/** Several repairs of one target, one after the other, while others are repaired. */
	allRepairsMs: 300_000,
	/** From the kill to the readiness of the API server. */
	apiServerBackMs: 180_000,
} as const;
