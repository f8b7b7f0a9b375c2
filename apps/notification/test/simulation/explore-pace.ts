// Every order of two pods that send to one receiver through its pace Lease: the app's own PaceLease on a model of Leases.
// A send takes as long as it likes within its time. By the receiver's clock, the pause must lie between the end of one send
// and the beginning of the next.
import { setImmediate as turn } from 'node:timers/promises';
import type { LeaseVersions } from '../../src/act/coordination/lease-versions.ts';
import { PaceLease } from '../../src/act/coordination/pace-lease.ts';
import type { PaceTurn } from '../../src/act/gate/pace.ts';
import type { CoordinationLease, LeaseState } from '../../src/objects/coordination-leases.ts';

export type PaceRules = { readonly sendsPerPod: number; readonly steps: number };
export type PaceMutation = (versions: LeaseVersions) => void;
/** A choice: a call of a pod is served, a send ends, or time passes. */
type Choice = string;

const INTERVAL = 3;
const HOLD = 12;
const MARGIN = 2;

type Run = { readonly choices: readonly Choice[]; readonly broken: string | undefined; readonly sends: number };

/** Depth first over the choices; the code runs from the start for each row of choices. */
export async function explorePace(
	rules: PaceRules,
	mutate: PaceMutation = () => {},
): Promise<{ runs: number; broken: string | undefined; steps: readonly string[] }> {
	let runs = 0;
	const stack: Choice[][] = [[]];
	while (stack.length > 0) {
		const row = stack.pop() as Choice[];
		const { choices, broken } = await run(rules, row, mutate);
		runs++;
		if (broken !== undefined) return { runs, broken, steps: row };
		for (const choice of choices) stack.push([...row, choice]);
	}
	return { runs, broken: undefined, steps: [] };
}

async function run({ sendsPerPod, steps }: PaceRules, row: readonly Choice[], mutate: PaceMutation): Promise<Run> {
	let time = 0;
	let stored: CoordinationLease | undefined;
	let version = 0;
	let lastEnd = -Infinity;
	let sends = 0;
	let sending = 0;
	let broken: string | undefined;
	let left = steps;
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
			begin();
			await ask(`${name} send ends`, end);
			await held.free(0);
		}
	}
	function begin(): void {
		sends++;
		if (sending > 0) broken = 'two sends at once';
		if (time - lastEnd < INTERVAL) broken = `only ${time - lastEnd} between the end of a send and the next`;
		sending++;
	}
	function end(): void {
		sending--;
		lastEnd = time;
	}
	const settle = async () => {
		for (let turns = 0; turns < 2; turns++) await turn();
	};
	void pod('a');
	void pod('b');
	await settle();
	for (const choice of row) {
		if (choice === 'time') {
			time++;
			left--;
			for (const timer of [...timers].toSorted((a, b) => a.at - b.at))
				if (timer.at <= time && timers.delete(timer)) timer.fire();
		} else options.get(choice)?.();
		await settle();
	}
	return {
		choices: [...options.keys(), ...(left > 0 && (timers.size > 0 || sending > 0) ? ['time'] : [])],
		broken,
		sends,
	};
}
