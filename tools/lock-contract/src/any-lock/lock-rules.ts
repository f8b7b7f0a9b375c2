// Part one, in order: what any lock promises.
import type { Rule } from '../rule.ts';
import type { LockStage } from './lock-stage.ts';
import { L1 } from './rules/l01-one-holder.ts';
import { L2 } from './rules/l02-in-one-process.ts';
import { L5 } from './rules/l05-contention.ts';
import { L6 } from './rules/l06-faults.ts';
import { L11 } from './rules/l11-release.ts';
import { L13 } from './rules/l13-fencing.ts';
import { L15 } from './rules/l15-keys.ts';
import { L17 } from './rules/l17-observer.ts';
import { L18 } from './rules/l18-shutdown.ts';
import { L20 } from './rules/l20-memory.ts';

export const LOCK_RULES: readonly Rule<LockStage>[] = [L1, L2, L5, L6, L11, L13, L15, L17, L18, L20];
