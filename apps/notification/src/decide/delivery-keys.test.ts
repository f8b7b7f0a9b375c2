import { describe, expect, it } from 'vitest';
import { loadAppConfig } from '../config.ts';

const problemsOf = (environment: Record<string, string>) => {
	const loaded = loadAppConfig(undefined, environment);
	return 'problems' in loaded ? loaded.problems : [];
};

describe('the configuration of deliveries', () => {
	it('has the values of TD-NOT-001 by default', () => {
		const loaded = loadAppConfig(undefined, {});
		if ('problems' in loaded) throw new Error(loaded.problems.join());
		expect(loaded.config).toMatchObject({
			useDistributedLocking: false,
			leaseDurationMs: 30_000,
			onLockUnavailable: 'hold',
			sendTimeoutMs: 10_000,
			claimTimeoutMs: 20_000,
			paceSlackMs: 1000,
			retentionMs: 86_400_000,
		});
	});

	it.each([
		{
			why: 'a send as long as its claim',
			env: { DELIVERY_SEND_TIMEOUT: '18s' },
			want: /DELIVERY_SEND_TIMEOUT is 18000 ms/,
		},
		{
			why: 'a claim as long as its Lease',
			env: { DELIVERY_CLAIM_TIMEOUT: '30s' },
			want: /LOCK_LEASE_DURATION 30000 ms/,
		},
		{
			why: 'a retention that the orchestrator would undo',
			env: { REQUESTS_RETENTION: '5m' },
			want: /at least 600000 ms/,
		},
		{
			why: 'a coordination cluster without locking',
			env: { LOCK_KUBECONFIG: '/x' },
			want: /USE_DISTRIBUTED_LOCKING is false/,
		},
		{ why: 'a key without the channel', env: { LOCK_KEY: '{cause}' }, want: /LOCK_KEY: "\{cause\}" lacks \{channel\}/ },
		{ why: 'a switch that is neither', env: { USE_DISTRIBUTED_LOCKING: 'yes' }, want: /"yes" is not true or false/ },
		{
			why: 'a Lease that one lost answer loses',
			env: { KUBERNETES_REQUEST_TIMEOUT: '10s' },
			want: /LOCK_LEASE_DURATION and KUBERNETES_REQUEST_TIMEOUT/,
		},
		{ why: 'an unknown channel', env: { DELIVERY_AT_MOST_ONCE: 'pigeon' }, want: /DELIVERY_AT_MOST_ONCE: "pigeon"/ },
	])('refuses $why', ({ env, want }) => {
		expect(problemsOf(env).join('\n')).toMatch(want);
	});

	it('takes true and false', () => {
		expect(problemsOf({ USE_DISTRIBUTED_LOCKING: 'true' })).toEqual([]);
		expect(problemsOf({ USE_DISTRIBUTED_LOCKING: 'false' })).toEqual([]);
	});
});
