import { describeLockContract } from '@kubernaut/lock-contract';
import * as lock from '../src/distributed-lock.ts';
import * as identity from '../src/identity.ts';
import * as kube from '../src/kube.ts';
import * as client from '../src/lease-client.ts';
import * as renewal from '../src/lease-renewal.ts';
import * as ports from '../src/lock-ports.ts';
import * as metrics from '../src/metrics.ts';

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
