// Stops the API server and starts it again at the same address, over the same etcd: an outage as it happens.
import { setTimeout as delay } from 'node:timers/promises';
import { recordedProcesses } from '@kubernaut/workspace/owned-processes';
import { pauseProcess } from '@kubernaut/workspace/pause-process';
import { isAlive } from '@kubernaut/workspace/process-identity';
import { type RunningPart, type StartPartOptions, startPart } from '../parts/start-part.ts';
import { sendSignal } from '../running/send-signal.ts';

export type ApiServerSwitch = {
	/** Ends when the process is gone. SIGKILL leaves calls half done; SIGTERM lets it finish them. */
	stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
	/** Ends when it is ready. */
	start(): Promise<void>;
	/** It keeps its connections and, once this has ended, answers nothing. */
	pause(): Promise<void>;
	resume(): void;
};

const GONE_POLL_MS = 20;

export function switchFor(
	running: RunningPart,
	options: StartPartOptions & { readonly directory: string },
): ApiServerSwitch {
	const alive = () =>
		recordedProcesses(options.directory).filter((recorded) => recorded.name === running.name && isAlive(recorded));
	const send = (signal: NodeJS.Signals) => {
		for (const { pid } of alive()) sendSignal(pid, signal);
	};
	return {
		async stop(signal) {
			send(signal);
			while (alive().length > 0) await delay(GONE_POLL_MS);
		},
		async start() {
			await startPart(running.name, { ...options, ports: [Number(new URL(running.url).port)] });
		},
		async pause() {
			for (const { pid } of alive()) await pauseProcess(pid);
		},
		resume: () => send('SIGCONT'),
	};
}
