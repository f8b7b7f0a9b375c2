// What a row of the table of parts says.

export type StartContext = {
	/** The part's files go here, and here only. */
	readonly directory: string;
	/** As many free ports of the loopback interface as the row asks for. */
	readonly ports: readonly number[];
	/** Flags of the caller, after ours. */
	readonly extraArgs: readonly string[];
};

export type StartPlan = {
	readonly args: readonly string[];
	/** Beside our own environment. */
	readonly env?: Readonly<Record<string, string>>;
	/** Where the part listens, for its clients. */
	readonly url: string;
	/** Answers 200 when the part is ready. */
	readonly readyUrl: string;
};

export type Part = {
	/** Empty for a program that needs none beside Go's own library. */
	readonly module: string;
	readonly version: string;
	/** `.` for a main of ours in its directory. */
	readonly package: string;
	/** Below go/: the module that pins this part and, in its go.sum, everything under it. */
	readonly directory: string;
	readonly ldflags?: string;
	readonly tags?: string;
	/** Directories of the module that are kept beside the program when it is built. */
	readonly files?: readonly string[];
	/** Prints the version of an installed binary. Without it the part is taken only from our cache, where we know it. */
	readonly versionArgs?: readonly string[];
	/** A found binary that is older is not used. */
	readonly oldest: string;
	readonly ports: number;
	/** Programs without a `start` run once and end. */
	readonly start?: (context: StartContext) => StartPlan;
};
