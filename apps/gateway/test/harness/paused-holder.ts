// A gateway that stands still in the middle of a call to the API server, with everything that it had before.
import type { AppProcess } from '@kubernaut/testkit';
import type { CreateGate, HeldCreate } from './gates.ts';
import type { Answer, Gateways, Lost } from './gateways.ts';

export type PausedCall<T> = {
	readonly deployment: string;
	/** On our clock, before the signal was sent. */
	readonly sentAt: number;
	readonly answer: Promise<Answer | Lost>;
	/** The create that the API server has not answered. */
	readonly held: HeldCreate<T>;
};
export type PauseOptions<T> = {
	readonly gate: CreateGate<T>;
	/** The create that the process is stopped in. */
	readonly call: (deployment: string) => (object: T) => boolean;
	/** Of the process that is stopped. */
	readonly callTimeoutMs: number;
	/** Done first, for each deployment that is tried. */
	readonly prepare?: (deployment: string) => Promise<unknown>;
};

const MAX_TRIES = 5;

/**
 * Sends a signal of this deployment. On a slow machine the process may have given its call up before it stands still;
 * then it is let go, and all begins again with another deployment.
 */
export async function pauseInCall<T>(
	gateways: Gateways,
	process: AppProcess,
	name: string,
	{ gate, call, callTimeoutMs, prepare }: PauseOptions<T>,
): Promise<PausedCall<T>> {
	for (let tries = 1; tries <= MAX_TRIES; tries++) {
		const deployment = tries === 1 ? name : `${name}-${tries}`;
		await prepare?.(deployment);
		const holding = gate.hold(call(deployment));
		const sentAt = performance.now();
		const answer = gateways.trySend(process, deployment);
		const held = await Promise.race([holding, answer.then(() => undefined)]);
		await process.pause();
		// The call began after the signal was sent.
		if (held !== undefined && performance.now() - sentAt < callTimeoutMs) return { deployment, sentAt, answer, held };
		process.signal('SIGCONT');
		held?.deny();
		await answer;
	}
	throw new Error(`${process.podName} could not be stopped within ${callTimeoutMs} ms, ${MAX_TRIES} times`);
}
