// Every order of two pods that send to one receiver through its pace Lease: the app's own PaceLease on a model of Leases.
// A send takes as long as it likes within its time. By the receiver's clock, the pause must lie between the end of one send
// and the beginning of the next. A pod that crashes sends nothing more, and never frees its turn; a write that was under way
// may still be done.
import { setImmediate as turn } from 'node:timers/promises';
import type { LeaseVersions } from '../../src/act/coordination/lease-versions.ts';
import { PaceLease } from '../../src/act/coordination/pace-lease.ts';
import type { PaceTurn } from '../../src/act/gate/pace.ts';
import type { CoordinationLease, LeaseState } from '../../src/objects/coordination-leases.ts';

export type PaceRules = { readonly sendsPerPod: number; readonly steps: number; readonly crashes: number };
export type PaceMutation = (versions: LeaseVersions) => void;
/** A choice: a call of a pod is served, a send ends, a pod crashes, or time passes. */
type Choice = string;

/** Of the first pod: the two are alike. */
const CRASH = 'a crashes';
const INTERVAL = 2;
const HOLD = 4;
const MARGIN = 1;

type Run = {
	/** The whole row: what was asked for, and the first choice of each step after it. */
	readonly row: readonly Choice[];
	/** The rows of the other choices. */
	readonly others: readonly (readonly Choice[])[];
	readonly broken: string | undefined;
	/** A pod sent after the one that crashed in its turn. */
	readonly takenOver: boolean;
};

/** Depth first over the choices; the code runs from the start for each order. */
export async function explorePace(
	rules: PaceRules,
	mutate: PaceMutation = () => {},
): Promise<{ runs: number; takenOver: number; broken: string | undefined; steps: readonly string[] }> {
	let runs = 0;
	let takenOver = 0;
	const stack: (readonly Choice[])[] = [[]];
	for (let asked = stack.pop(); asked !== undefined; asked = stack.pop()) {
		const { row, others, broken, takenOver: tookOver } = await run(rules, asked, mutate);
		runs++;
		if (tookOver) takenOver++;
		if (broken !== undefined) return { runs, takenOver, broken, steps: row };
		stack.push(...others);
	}
	return { runs, takenOver, broken: undefined, steps: [] };
}

async function run(
	{ sendsPerPod, steps, crashes }: PaceRules,
	asked: readonly Choice[],
	mutate: PaceMutation,
): Promise<Run> {
	let time = 0;
	let stored: CoordinationLease | undefined;
	let version = 0;
	let lastEnd = -Infinity;
	let sending: { readonly by: string; readonly since: number } | undefined;
	let broken: string | undefined;
	let left = steps;
	let crashesLeft = crashes;
	let crashedInTurn = false;
	let takenOver = false;
	const alive = new Set(['a', 'b']);
	const timers = new Set<{ readonly at: number; fire(): void }>();
	const options = new Map<Choice, () => void>();
	const clock = {
		now: () => time,
		wallTime: () => new Date(time),
		setTimer(fire: () => void, delay: number) {
			const timer = { at: time + Math.max(0, delay), fire };
			timers.add(timer);
			return () => void timers.delete(timer);
		},
	};
	const write = (state: LeaseState): CoordinationLease => {
		version++;
		stored = {
			name: 'pace',
			uid: 'u',
			resourceVersion: String(version),
			holder: state.holder,
			writtenAt: new Date(time),
			annotations: state.annotations,
		};
		return stored;
	};
	/** Served when it is chosen. */
	const ask = <T>(label: Choice, serve: () => T) =>
		new Promise<T>((resolve) => {
			options.set(label, () => {
				options.delete(label);
				resolve(serve());
			});
		});
	async function pod(name: string): Promise<void> {
		const leases = {
			create: (_: string, state: LeaseState) =>
				ask(`${name} create`, () => (stored === undefined ? write(state) : ('exists' as const))),
			read: () => ask(`${name} read`, () => stored),
			replace: (current: CoordinationLease, state: LeaseState) =>
				ask(`${name} replace`, () =>
					stored?.resourceVersion === current.resourceVersion ? write(state) : ('changed' as const),
				),
		};
		const pace = new PaceLease({ leases, podName: name, intervalMs: INTERVAL, holdMs: HOLD, marginMs: MARGIN, clock });
		mutate(pace.versions);
		for (let sent = 0; sent < sendsPerPod; sent++) {
			const held = (await pace.take('receiver', new AbortController().signal)) as PaceTurn;
			if (!alive.has(name)) return;
			begin(name);
			const ended = ask(`${name} send ends`, end);
			clock.setTimer(() => options.get(`${name} send ends`)?.(), held.deadline - time);
			await ended;
			await held.free(0);
		}
	}
	function begin(by: string): void {
		if (sending !== undefined) broken = 'two sends at once';
		if (time - lastEnd < INTERVAL) broken = `only ${time - lastEnd} between the end of a send and the next`;
		takenOver ||= crashedInTurn;
		sending = { by, since: time };
	}
	function end(): void {
		sending = undefined;
		lastEnd = time;
	}
	function crash(name: string): void {
		crashesLeft--;
		alive.delete(name);
		for (const call of ['read', 'send ends']) options.delete(`${name} ${call}`);
		if (sending?.by !== name) return;
		// Nothing is sent any more: what the receiver knows is when it began.
		crashedInTurn = true;
		lastEnd = sending.since;
		sending = undefined;
	}
	const settle = async () => {
		for (let turns = 0; turns < 2; turns++) await turn();
	};
	void pod('a');
	void pod('b');
	await settle();
	function apply(choice: Choice): void {
		if (choice === 'time') {
			time++;
			left--;
			for (const timer of [...timers].toSorted((a, b) => a.at - b.at))
				if (timer.at <= time && timers.delete(timer)) timer.fire();
		} else if (choice === CRASH) crash('a');
		else options.get(choice)?.();
	}
	function choicesNow(): Choice[] {
		const isPassing = left > 0 && (timers.size > 0 || sending !== undefined);
		return [...options.keys(), ...(crashesLeft > 0 ? [CRASH] : []), ...(isPassing ? ['time'] : [])];
	}
	const row: Choice[] = [];
	const others: Choice[][] = [];
	for (;;) {
		const given = asked[row.length];
		const [first, ...rest] = given === undefined ? choicesNow() : [given];
		if (first === undefined || broken !== undefined) break;
		for (const other of rest) others.push([...row, other]);
		row.push(first);
		apply(first);
		await settle();
	}
	return { row, others, broken, takenOver };
}
