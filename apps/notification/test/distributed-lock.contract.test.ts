import { describeLeaseContract } from '@kubernaut/lock-contract';
import * as lock from '../src/distributed-lock.ts';
import * as kube from '../src/kube/kube.ts';
import * as client from '../src/lock/lease-client.ts';
import * as metrics from '../src/metrics.ts';
import * as identity from '../src/process/identity.ts';

const here = new URL('../src/', import.meta.url);

describeLeaseContract('notification', {
	directories: { lock: here, others: here },
	lock,
	client,
	metrics,
	kube,
	identity,
});
