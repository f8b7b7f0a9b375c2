// Part one examines a lock that is not a Lease: it passes, and locks like it with one bug each do not.
import { expect, it } from 'vitest';
import { LOCK_RULES } from '../src/any-lock/lock-rules.ts';
import { openLockSite } from '../src/any-lock/lock-site.ts';
import { LockStage } from '../src/any-lock/lock-stage.ts';
import { describeLockContract } from '../src/lock-contract.ts';
import { failures } from '../src/mutants/verdict.ts';
import { runCheck } from '../src/rule.ts';
import { CONFIG_MAP_MUTANTS } from './config-map-lock/config-map-mutants.ts';
import { openPort } from './config-map-lock/config-map-port.ts';

describeLockContract('config-map', await openPort('ConfigMapLock'), {
	withLock: 'callers are reconciles, which come again instead of waiting',
	metrics: 'the lock belongs to no app, so no registry has its metrics',
});

it.each(CONFIG_MAP_MUTANTS)('a ConfigMap lock is rejected by $rule: $bug', async ({ rule, lock }) => {
	const site = await openLockSite('config-map', await openPort(lock));
	const checks = LOCK_RULES.find(({ id }) => id === rule)?.checks ?? [];
	const trials = checks
		.filter(({ needs }) => needs === undefined)
		.map((check) => ({ title: check.title, run: () => runCheck(new LockStage(site), check) }));
	const { rejectedBy, accidents } = await failures(trials);
	expect(rejectedBy, accidents.join(' | ')).not.toEqual([]);
});
