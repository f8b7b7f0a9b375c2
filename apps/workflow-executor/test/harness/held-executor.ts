// An executor whose calls can be held. What is held is not given up: the process stands still, as in front of a slow network.
import type { AppProcess } from '@kubernaut/testkit';
import { type HeldCalls, startHeldCalls } from './held-calls.ts';
import type { World } from './world.ts';

export type HeldExecutor = { readonly calls: HeldCalls; readonly executor: AppProcess };

export async function startHeldExecutor(world: World, podName: string): Promise<HeldExecutor> {
	const calls = await startHeldCalls(world.kubeconfig);
	const executor = await world.start(podName, { KUBECONFIG: calls.kubeconfig, KUBERNETES_REQUEST_TIMEOUT: '5m' });
	return { calls, executor };
}

/** It is killed where it is held; what it sent is done. */
export async function killHeld({ calls, executor }: HeldExecutor): Promise<void> {
	executor.signal('SIGKILL');
	await executor.exited;
	calls.letGo();
}
