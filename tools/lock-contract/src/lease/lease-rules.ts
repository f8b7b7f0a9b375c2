// Part two, in order: what a Lease promises on top.
import type { Rule } from '../rule.ts';
import type { LeaseStage } from './lease-stage.ts';
import { L1 } from './rules/l01-one-holder.ts';
import { L2 } from './rules/l02-in-one-process.ts';
import { L3 } from './rules/l03-cost.ts';
import { L4 } from './rules/l04-identity.ts';
import { L5 } from './rules/l05-contention.ts';
import { L6 } from './rules/l06-faults.ts';
import { L7 } from './rules/l07-expiry.ts';
import { L8 } from './rules/l08-takeover.ts';
import { L9 } from './rules/l09-renewal.ts';
import { L10 } from './rules/l10-loss.ts';
import { L11 } from './rules/l11-release.ts';
import { L12 } from './rules/l12-lost-answers.ts';
import { L13 } from './rules/l13-fencing.ts';
import { L14 } from './rules/l14-abort.ts';
import { L15 } from './rules/l15-names.ts';
import { L16 } from './rules/l16-sweeping.ts';
import { L17 } from './rules/l17-observer.ts';
import { L18 } from './rules/l18-shutdown.ts';
import { L19 } from './rules/l19-waking.ts';
import { L20 } from './rules/l20-memory.ts';

export const LEASE_RULES: readonly Rule<LeaseStage>[] = [
	L1,
	L2,
	L3,
	L4,
	L5,
	L6,
	L7,
	L8,
	L9,
	L10,
	L11,
	L12,
	L13,
	L14,
	L15,
	L16,
	L17,
	L18,
	L19,
	L20,
];
