// Which files are twins: one app has the reference, and a file of that name in any other app is a copy of it.

export type TwinGroup = {
	/** The app whose file the others are compared with. */
	readonly reference: string;
	/** Not only alike where it is there: no app may lack it. */
	readonly inEveryApp: boolean;
	/** Below src/. */
	readonly files: readonly string[];
};

export type TwinTable = {
	readonly twins: readonly TwinGroup[];
	/** Rooms that have one name in every app and hold what is each app's own. */
	readonly ownRooms: readonly string[];
};

export const TABLE: TwinTable = {
	twins: [
		{
			reference: 'gateway',
			inEveryApp: true,
			files: [
				'api-readiness.ts',
				'command-line.ts',
				'config-loader.ts',
				'config-values.ts',
				'identity.ts',
				'kube.ts',
				'kube-connections.ts',
				'log-output.ts',
				'logger.ts',
				'or-aborted.ts',
				'server.ts',
				'shutdown.ts',
			],
		},
		// The lock along its ideas, and what feeds it.
		{
			reference: 'gateway',
			inEveryApp: false,
			files: [
				'all-observers.ts',
				'distributed-lock.ts',
				'lease-client.ts',
				'lease-observations.ts',
				'lease-protocol.ts',
				'lease-renewal.ts',
				'lease-sweeper.ts',
				'list-watch.ts',
				'lock-clock.ts',
				'lock-config.ts',
				'lock-log.ts',
				'lock-metrics.ts',
				'lock-ports.ts',
				'lock-queue.ts',
			],
		},
		// The gateway is no controller.
		{ reference: 'orchestrator', inEveryApp: false, files: ['controller.ts'] },
	],
	ownRooms: [
		'app.ts',
		'canonical-target.ts', // its one common function has an exam in tools/testkit
		'config.ts',
		'errors.ts',
		'main.ts',
		'metrics.ts',
		'reconciler.ts',
	],
};
