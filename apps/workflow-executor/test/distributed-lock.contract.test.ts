// The PipelineRun lock passes the part of the contract that any lock passes, and of the rest what fits an object without expiry.
import { describeLockContract } from '@kubernaut/lock-contract';
import { beforeAll, describe, expect, it } from 'vitest';
import * as lock from '../src/distributed-lock.ts';
import { portOf } from './harness/lock-port.ts';
import { RUN_LOCK_RULES } from './harness/run-lock-rules.ts';
import { openWorld, type World } from './harness/world.ts';

describeLockContract('workflow-executor', portOf(lock), {
	withLock: 'callers are reconciles, which come again instead of waiting inside the lock',
	L4: 'the holder is a WorkflowExecution, which outlives pods',
	L7: 'nothing expires: a run is there until it is removed',
	L8: 'nothing expires, so nothing is taken over',
	L9: 'nothing expires, so nothing is renewed',
	L10: 'nothing expires, so nothing is lost by standing still',
	L14: 'nothing waits inside the lock, so no wait can be aborted',
	L19: 'nothing waits inside the lock, so no waiter is woken',
});

describe.each(RUN_LOCK_RULES)('$id $fact', ({ check, mutants }) => {
	let world: World;
	beforeAll(async () => {
		world = await openWorld('run-lock', 0);
		world.tekton.durationMs = 0;
	});

	it('the lock keeps it', async () => {
		await expect(check(world)).resolves.toBeUndefined();
	});

	it.each(mutants)('rejects a lock that has this bug: $name', async ({ bug }) => {
		await expect(check(world, bug)).rejects.toMatchObject({ name: 'AssertionError' });
	});
});
