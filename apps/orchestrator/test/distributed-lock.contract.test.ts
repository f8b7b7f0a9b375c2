import { describeLockContract } from '@kubernaut/lock-contract';
import * as kube from '../src/kube/kube.ts';
import * as client from '../src/lock/lease-client.ts';
import * as lock from '../src/lock/lease-lock.ts';
import * as renewal from '../src/lock/lease-renewal.ts';
import * as ports from '../src/lock/lock-ports.ts';
import * as metrics from '../src/metrics.ts';
import * as identity from '../src/process/identity.ts';

const here = new URL('../src/', import.meta.url);

describeLockContract('orchestrator', {
	prefix: 'ro-lock-',
	directories: { lock: here, others: here },
	lock,
	renewal,
	ports,
	client,
	metrics,
	kube,
	identity,
});
