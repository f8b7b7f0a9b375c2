// Many equal signals at once: how many requests they make, how often the API server is asked, when the last is answered.
import type { ApiCall } from '@kubernaut/control-plane';
import { alertAbout, requestsPath, webhookBody } from '../signal-request.ts';
import type { ApiFloor } from './api-floor.ts';
import { type Arena, type Contestant, NO_AUDIT_LOG } from './arena.ts';
import { callsDuring } from './call-count.ts';
import { settledCounts } from './settled-counts.ts';
import { freshDeployment, type SignalAnswer } from './signal-load.ts';

/** What happened, in full. */
export type StormRecord = {
	readonly deployment: string;
	readonly answers: readonly SignalAnswer[];
	readonly lastAnswerMs: number;
	/** The occurrence count of each request that there is afterwards. */
	readonly counts: readonly number[];
	/** Undefined: the API server keeps no audit log for us. */
	readonly calls: readonly ApiCall[] | undefined;
};

export type StormFigures = {
	readonly requestsCreated: number;
	/** Over all requests that it made. */
	readonly occurrences: number;
	readonly callsPerSignal: number;
	readonly lastAnswerMs: number;
	readonly failed: number;
};

/** What the signals of a storm are about, as one incident. */
export type StormSubject = {
	readonly deployment: string;
	/** Where it is: owners are read there. */
	readonly namespace?: string;
	bodyOf(i: number): string;
};

/** Equal signals about one deployment, unless the caller says what they are about. */
export async function runStorm(
	arena: Arena,
	contestant: Contestant,
	signals: number,
	onAnswer?: (answer: SignalAnswer) => void,
	{ deployment, namespace, bodyOf }: StormSubject = equalSignals(freshDeployment('storm')),
): Promise<StormRecord> {
	const run = () => contestant.load.storm(bodyOf, signals, onAnswer);
	const { value: storm, calls } = arena.countsCalls
		? await callsDuring(arena.auditLog, { ...contestant, alsoIn: namespace }, run)
		: { value: await run(), calls: undefined };
	const { totals } = await settledCounts(arena.api, requestsAbout(contestant.namespace, deployment));
	return { deployment, ...storm, counts: totals, calls };
}

function equalSignals(deployment: string): StormSubject {
	const body = webhookBody(alertAbout(deployment));
	return { deployment, bodyOf: () => body };
}

export async function measureStorm(arena: Arena, contestant: Contestant, signals: number): Promise<StormFigures> {
	const { answers, lastAnswerMs, counts, calls } = await runStorm(arena, contestant, signals);
	if (calls === undefined) throw new Error(NO_AUDIT_LOG);
	return {
		requestsCreated: counts.length,
		occurrences: counts.reduce((sum, count) => sum + count, 0),
		callsPerSignal: calls.length / signals,
		lastAnswerMs,
		failed: answers.filter(({ status }) => !isTaken(status)).length,
	};
}

/** The least: the calls of one incident, bare, beside as many signals to servers that only read them. */
export async function stormFloorMs(floor: ApiFloor, hop: Pick<Contestant, 'load'>, signals: number): Promise<number> {
	await hop.load.exchange(signals); // opens the connections
	const startedAt = performance.now();
	await Promise.all([floor.storm(freshDeployment('storm')), hop.load.exchange(signals)]);
	return performance.now() - startedAt;
}

/** The path of the list. */
export function requestsAbout(namespace: string, deployment: string): string {
	return `${requestsPath(namespace)}?fieldSelector=${encodeURIComponent(`spec.targetResource.name=${deployment}`)}`;
}

export function isTaken(status: number): boolean {
	return status === 201 || status === 202;
}

export function describeStorm({
	requestsCreated,
	occurrences,
	callsPerSignal,
	lastAnswerMs,
	failed,
}: StormFigures): string {
	const requests = requestsCreated === 1 ? '1 request' : `${requestsCreated} requests`;
	const calls = callsPerSignal.toFixed(callsPerSignal < 1 ? 3 : 1);
	return `${requests}, count ${occurrences}, ${calls} calls per signal, last answer ${Math.round(lastAnswerMs)} ms, ${failed} failed`;
}
