// Stops a part of a running control plane and starts it again as it was: same program, flags and ports, over the same
// files. An outage as it happens. Also from another process than the one that started it, which still owns it.
import { setTimeout as delay } from 'node:timers/promises';
import { recordedProcesses } from '@kubernaut/workspace/owned-processes';
import { pauseProcess } from '@kubernaut/workspace/pause-process';
import { isAlive } from '@kubernaut/workspace/process-identity';
import { sendSignal } from '../running/send-signal.ts';
import type { PartName } from './parts.ts';
import { readStart, startPart } from './start-part.ts';

export type PartSwitch = {
	/** Ends when the process is gone. SIGKILL leaves calls half done; SIGTERM lets it finish them. */
	stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
	/** Ends when it is ready. */
	start(): Promise<void>;
	/** It keeps its connections and, once this has ended, answers nothing. */
	pause(): Promise<void>;
	resume(): void;
};

const GONE_POLL_MS = 20;

/** `directory`: of the control plane. */
export function partSwitch(directory: string, name: PartName): PartSwitch {
	const alive = () => recordedProcesses(directory).filter((recorded) => recorded.name === name && isAlive(recorded));
	const send = (signal: NodeJS.Signals) => {
		for (const { pid } of alive()) sendSignal(pid, signal);
	};
	return {
		async stop(signal) {
			send(signal);
			while (alive().length > 0) await delay(GONE_POLL_MS);
		},
		async start() {
			await startPart(name, { ...readStart(directory, name), directory });
		},
		async pause() {
			for (const { pid } of alive()) await pauseProcess(pid);
		},
		resume: () => send('SIGCONT'),
	};
}
