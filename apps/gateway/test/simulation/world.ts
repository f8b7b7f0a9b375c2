// The world around the chain, as a value: the store, processes that take in equal signals, and what may still go wrong.
import type { AlertOccurrence } from '../../src/signal/signal.ts';
import type { Accounts } from './promises.ts';
import type { ProcessNode } from './signal-process.ts';
import { isActive, type Request, type Schema, type Store } from './store-model.ts';

export type Rules = {
	readonly processes: number;
	/** How many signals come in all, to any process that is free. A crashed process comes back with its pod's name. */
	readonly signals: number;
	/** Instead of equal signals: what each of them says, in any order that `after` permits. */
	readonly sendings?: readonly Sending[];
	/** How often a watch may catch up while its process is at work. How far it lags before is unlimited. */
	readonly catchUps: number;
	/** How often the active link may end, and in which ways. */
	readonly endings: number;
	readonly endingWays: readonly ('terminal' | 'deleting')[];
	/** How many writes may lose their answer, to be done then, later or never. */
	readonly lostAnswers: number;
	/** How many links retention may remove. */
	readonly removals: number;
	/** The assumption: retention leaves a link alone while a process is at work whose view is older than the link's end. */
	readonly viewsYoungerThanRetention: boolean;
	/** The chain's rule: no successor, or one that exists. */
	readonly retentionKeepsSuccessorRule: boolean;
	/** Retention removes the version that it has looked at. */
	readonly retentionHasPrecondition: boolean;
	/** Retention only marks the link, and it goes later, whatever was written into it meanwhile. */
	readonly retentionInForeground: boolean;
	/** How many active links a person may delete, against the rule. */
	readonly deletionsByHand: number;
	/** How often another process folds a slot, or settles the readable count. It looks, and then it writes. */
	readonly folds: number;
	readonly settles: number;
	/** Processes keep their memory between signals: their cache and their slot. */
	readonly processesRemember: boolean;
	/** The CRD's rules. */
	readonly schema: Schema;
};

/** Alerts of one incident begin and end; each sending goes to any process. */
export type Sending = {
	readonly alert: AlertOccurrence;
	/** The sending that must have been answered before. */
	readonly after?: number;
};

type Budget = 'signals' | 'catchUps' | 'endings' | 'lostAnswers' | 'removals' | 'deletionsByHand' | 'folds' | 'settles';
export type Running = {
	readonly node: ProcessNode;
	/** It comes as late as it can: with its first call. Its view may be older than that. */
	readonly began: boolean;
	/** Uids that were active since then. */
	readonly witnessed: readonly string[];
	/** What it is about, where signals differ. */
	readonly sending?: number;
};
type Process = {
	readonly lives: number;
	readonly at: Running | undefined;
	/** It has its result, and keeps its memory. */
	readonly rested?: ProcessNode | undefined;
};

export type World = {
	readonly store: Store;
	readonly processes: readonly Process[];
	/** Writes without an answer that are still under way. */
	readonly astray: readonly { readonly by: number; readonly request: Request }[];
	/** Ended links → processes that have been at work since before the end. */
	readonly protectors: Readonly<Record<string, readonly number[]>>;
	/** What others have looked at and are about to write. */
	readonly others: readonly { readonly what: string; readonly request: Request }[];
	/** The link that retention has looked at and is about to remove. */
	readonly removing: { readonly name: string; readonly uid: string; readonly version: number } | undefined;
	readonly left: Readonly<Record<Budget, number>>;
	/** Uid → signals that were answered as stored on it. */
	readonly stored: Readonly<Record<string, number>>;
	/** Signals whose process crashed, or that were deferred. */
	readonly cutOff: number;
	/** Sendings that have begun, and those that were answered; by their number. */
	readonly sent: readonly number[];
	readonly acknowledged: readonly number[];
};
export type Move = { readonly label: string; readonly make: () => Promise<World> | World };

export function firstWorld(store: Store, rules: Rules): World {
	return {
		store,
		processes: Array.from({ length: rules.processes }, () => ({ lives: 0, at: undefined })),
		astray: [],
		protectors: {},
		removing: undefined,
		others: [],
		left: {
			signals: rules.sendings?.length ?? rules.signals,
			catchUps: rules.catchUps,
			endings: rules.endings,
			lostAnswers: rules.lostAnswers,
			removals: rules.removals,
			deletionsByHand: rules.deletionsByHand,
			folds: rules.folds,
			settles: rules.settles,
		},
		stored: {},
		cutOff: 0,
		sent: [],
		acknowledged: [],
	};
}

export function accountsOf({ processes, stored, cutOff }: World, opening: Accounts['opening']): Accounts {
	return { opening, stored, open: cutOff + processes.filter(({ at }) => at !== undefined).length };
}

/** Processes at work take note of the active links. */
export function witness(world: World): World {
	const active = activeUids(world.store);
	const processes = world.processes.map((process) => {
		if (!process.at?.began) return process;
		const { witnessed } = process.at;
		const fresh = active.filter((uid) => !witnessed.includes(uid));
		return fresh.length === 0
			? process
			: { ...process, at: { ...process.at, witnessed: [...witnessed, ...fresh].toSorted() } };
	});
	return { ...world, processes };
}

/** Processes that may still do something on the ground of an old view. */
export function atLarge({ processes, astray }: World): number[] {
	return processes.flatMap(({ at }, index) =>
		at !== undefined || astray.some(({ by }) => by === index) ? [index] : [],
	);
}

/** Without entries that have no effect any more, so that equal worlds look equal. */
export function tidied(world: World): World {
	const still = atLarge(world);
	const uids = world.store.links.map(({ uid }) => uid);
	const protectors: Record<string, readonly number[]> = {};
	for (const [uid, processes] of Object.entries(world.protectors)) {
		const left = processes.filter((process) => still.includes(process));
		if (left.length > 0 && uids.includes(uid)) protectors[uid] = left;
	}
	const stored = Object.fromEntries(Object.entries(world.stored).filter(([uid]) => uids.includes(uid)));
	return { ...world, protectors, stored };
}

export function spent(world: World, what: Budget): World {
	return { ...world, left: { ...world.left, [what]: world.left[what] - 1 } };
}

/** Sorted, so that equal worlds look equal. */
export function withEntry<T>(record: Readonly<Record<string, T>>, key: string, value: T): Record<string, T> {
	return Object.fromEntries(Object.entries({ ...record, [key]: value }).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function activeUids({ links }: Store): string[] {
	return links.filter(isActive).map(({ uid }) => uid);
}
