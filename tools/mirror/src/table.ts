// Which folders of the apps are mirrored: one app holds the reference, `npm run generate` writes the copies.

/** By file below the folder: why this app's file leaves the mirror. */
export type Exceptions = Readonly<Record<string, string>>;

export type MirroredFolder = {
	/** Below apps/<app>/src. */
	readonly folder: string;
	/** The app whose files are edited. */
	readonly reference: string;
	/** The other apps that have the folder. A new one is a word here and `npm run generate`. */
	readonly copies: readonly string[];
	/** By app. */
	readonly exceptions: Readonly<Record<string, Exceptions>>;
};

export const TABLE: readonly MirroredFolder[] = [
	{
		folder: 'process',
		reference: 'gateway',
		copies: ['orchestrator', 'workflow-executor', 'notification'],
		exceptions: {},
	},
	{
		folder: 'kube',
		reference: 'gateway',
		copies: ['orchestrator', 'workflow-executor', 'notification'],
		exceptions: {},
	},
	{ folder: 'lock', reference: 'gateway', copies: ['orchestrator', 'notification'], exceptions: {} },
	{ folder: 'controller', reference: 'orchestrator', copies: ['workflow-executor', 'notification'], exceptions: {} },
];
