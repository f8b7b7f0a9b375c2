// The PipelineRun lock passes the part of the contract that any lock passes.
import { describeLockContract } from '@kubernaut/lock-contract';
import * as lock from '../src/distributed-lock.ts';
import { portOf } from './harness/lock-port.ts';

describeLockContract('workflow-executor', portOf(lock), {
	withLock: 'callers are reconciles, which come again instead of waiting inside the lock',
});
