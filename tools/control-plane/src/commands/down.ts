// Stops a control plane that has a name.
import { setTimeout as delay } from 'node:timers/promises';
import { stopOwned } from '@kubernaut/workspace/owned-processes';
import { isAlive } from '@kubernaut/workspace/process-identity';
import { findKept } from '../running/instances.ts';
import { sendSignal } from '../running/send-signal.ts';
import { alone, type CommandContext } from './command-context.ts';

const POLL_MS = 50;

/** False when there is none of that name. */
export async function down(name: string, context: CommandContext): Promise<boolean> {
	return alone(name, context, async () => {
		const instance = findKept(name, context.environment);
		if (instance === undefined) return false;
		if (instance.owner !== undefined && isAlive(instance.owner)) {
			sendSignal(instance.owner.pid, 'SIGTERM'); // it knows best how to stop what it started
			while (isAlive(instance.owner)) await delay(POLL_MS, undefined, { signal: context.signal });
		}
		await stopOwned(instance.directory);
		return true;
	});
}
