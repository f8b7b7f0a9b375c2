// Two versions of the gateway in one run on one API server, in turn: what changed between them, apart from the machine's noise.
// This tree's version runs twice, in two groups of replicas: what distinguishes those is the spread, not the code.
import { setTimeout as delay } from 'node:timers/promises';
import { Arena, type Gateways, REPLICAS } from './gateway/arena.ts';
import { measureCost } from './gateway/distinct.ts';
import { median, medianRatio } from './gateway/statistics.ts';
import { measureStorm } from './gateway/storm.ts';
import type { Result } from './result.ts';

const ROUNDS = 12;
const WARM_STORMS = 4;
const THROUGHPUT_SIGNALS = 500;
const THROUGHPUT_CONCURRENCY = 50;
const QUIET_MS = 200;
const GROUPS = ['other', 'ours', 'again'] as const;
type Group = (typeof GROUPS)[number];
type Round = Readonly<Record<Group, number>>;

/** Less is better in each. */
const MEASURES: Readonly<Record<string, (arena: Arena, gateways: Gateways) => Promise<number>>> = {
	storm100: async (arena, gateways) => (await measureStorm(arena, gateways, 100)).lastAnswerMs,
	storm1000: async (arena, gateways) => (await measureStorm(arena, gateways, 1000)).lastAnswerMs,
	distinct: async (arena, gateways) => (await measureCost(arena, gateways)).p50,
	many: async (_, { load }) => load.distinct('many', THROUGHPUT_SIGNALS, THROUGHPUT_CONCURRENCY),
};

/** `bundle`: dist/main.mjs of the other version. */
export async function benchGatewayVersions(report: (text: string) => void, bundle: string): Promise<Result[]> {
	const arena = await Arena.open(report);
	try {
		report(`starting three times ${REPLICAS} gateways`);
		const groups = {
			other: await arena.startGateways('other', REPLICAS, { bundle }),
			ours: await arena.startGateways('ours', REPLICAS),
			again: await arena.startGateways('again', REPLICAS),
		};
		for (const group of GROUPS) await warm(arena, groups[group]);
		const rounds = new Map<string, Round[]>(Object.keys(MEASURES).map((name) => [name, []]));
		for (let number = 0; number < ROUNDS; number++) {
			for (const [name, measure] of Object.entries(MEASURES)) {
				const figures: Partial<Record<Group, number>> = {};
				for (const group of inTurn(number)) figures[group] = await measure(arena, groups[group]);
				rounds.get(name)?.push(figures as Round);
			}
			report(`round ${number + 1} of ${ROUNDS}`);
		}
		return [...rounds].flatMap(([name, measured]) => resultsOf(name, measured));
	} finally {
		await arena.close();
	}
}

async function warm(arena: Arena, gateways: Gateways): Promise<void> {
	await gateways.load.distinct('warm', THROUGHPUT_SIGNALS, THROUGHPUT_CONCURRENCY);
	for (let i = 0; i < WARM_STORMS; i++) await measureStorm(arena, gateways, 100);
	await delay(QUIET_MS);
}

/** Each group is the first, the second and the last equally often. */
function inTurn(round: number): Group[] {
	const first = round % GROUPS.length;
	return [...GROUPS.slice(first), ...GROUPS.slice(0, first)];
}

function resultsOf(name: string, rounds: readonly Round[]): Result[] {
	const ratio = (over: Group, under: Group) =>
		medianRatio(
			[...rounds],
			(round) => round[over],
			(round) => round[under],
		);
	return [
		{
			name: `${name}.ms`,
			value: median(rounds.map(({ ours }) => ours)),
			unit: 'ms',
			baseline: median(rounds.map(({ other }) => other)),
		},
		{ name: `${name}.ratio`, value: ratio('ours', 'other'), unit: '× other' },
		{ name: `${name}.spread`, value: ratio('again', 'ours'), unit: '× of the same code' },
	];
}
