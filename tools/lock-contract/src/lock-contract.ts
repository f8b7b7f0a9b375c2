// The conformance suite of the locks, for an app's test/distributed-lock.contract.test.ts: describeLeaseContract where
// the lock is a Lease, describeLockContract (part one alone) where it is anything else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LockPort } from './any-lock/lock-port.ts';
import { LOCK_RULES } from './any-lock/lock-rules.ts';
import { openLockSite } from './any-lock/lock-site.ts';
import { LockStage } from './any-lock/lock-stage.ts';
import { leasePort } from './lease/lease-port.ts';
import { LEASE_RULES } from './lease/lease-rules.ts';
import { openLeaseSite } from './lease/lease-site.ts';
import { LeaseStage } from './lease/lease-stage.ts';
import type { LockModules } from './lease/lock-modules.ts';
import { type Capability, type Check, type Rule, type RuleId, runCheck } from './rule.ts';

export type { LockPort } from './any-lock/lock-port.ts';
export type { LockDirectories, LockModules } from './lease/lock-modules.ts';
export type { RuleId } from './rule.ts';

/** Rules that do not apply to a lock, and capabilities that it lacks, each with the reason in words. */
export type Waivers = Partial<Readonly<Record<RuleId | Capability, string>>>;

const MIN_WORDS_OF_A_REASON = 4;

/** Part one: what any lock promises. */
export function describeLockContract(app: string, port: LockPort, waivers: Waivers = {}): void {
	describe(`the lock of ${app} passes the contract of any lock`, () => {
		const site = openedSite(() => openLockSite(app, port));
		describeRules(LOCK_RULES, waivers, () => new LockStage(site()));
	});
}

/** Both parts: what any lock promises, and what a Lease promises on top. */
export function describeLeaseContract(app: string, modules: LockModules, waivers: Waivers = {}): void {
	describeLockContract(app, leasePort(app, modules), waivers);
	describe(`the lock of ${app} passes the contract of a Lease`, () => {
		const site = openedSite(() => openLeaseSite(app, modules));
		describeRules(LEASE_RULES, waivers, () => new LeaseStage(site()));
	});
}

function openedSite<S extends { close(): Promise<void> }>(open: () => Promise<S>): () => S {
	let site: S;
	beforeAll(async () => {
		site = await open();
	});
	afterAll(() => site.close());
	return () => site;
}

function describeRules<Stage extends { close(): Promise<void> }>(
	rules: readonly Rule<Stage>[],
	waivers: Waivers,
	openStage: () => Stage,
): void {
	describe.each(rules)('$id $title', ({ id, checks }) => {
		it.each(checks.map((check) => unlessWaived(check, waivers[id] ?? waivers[check.needs ?? id])))('$title', (check) =>
			runCheck(openStage(), check),
		);
	});
}

function unlessWaived<Stage>(check: Check<Stage>, reason: string | undefined): Check<Stage> {
	if (reason === undefined) return check;
	return {
		title: `waived: ${check.title} (${reason})`,
		run: async () =>
			expect(reason.split(/\s+/).length, 'a waiver says why').toBeGreaterThanOrEqual(MIN_WORDS_OF_A_REASON),
	};
}
