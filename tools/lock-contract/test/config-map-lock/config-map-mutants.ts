// The ConfigMap lock with one bug each.
import type { AnyAcquisition } from '../../src/any-lock/lock-port.ts';
import type { RuleId } from '../../src/rule.ts';
import { type ConfigMap, ConfigMapLock } from './config-map-lock.ts';

class ReleasesByName extends ConfigMapLock {
	protected override deletion(): object {
		return {};
	}
}

class TakesExistsForOurs extends ConfigMapLock {
	protected override async create(key: string, holder: string): Promise<ConfigMap | undefined> {
		return (await super.create(key, holder)) ?? this.call('get', key);
	}
}

class ThrowsContention extends ConfigMapLock {
	protected override contended(key: string, holder: string): AnyAcquisition {
		throw new Error(`${key} is held by ${holder}`);
	}
}

export const CONFIG_MAP_LOCKS = { ConfigMapLock, ReleasesByName, TakesExistsForOurs, ThrowsContention } as const;
export type ConfigMapLockName = keyof typeof CONFIG_MAP_LOCKS;

export const CONFIG_MAP_MUTANTS: readonly { rule: RuleId; bug: string; lock: ConfigMapLockName }[] = [
	{ rule: 'L11', bug: 'releases by name', lock: 'ReleasesByName' },
	{ rule: 'L1', bug: 'an object that is there already is taken for its own', lock: 'TakesExistsForOurs' },
	{ rule: 'L5', bug: 'contention is an exception', lock: 'ThrowsContention' },
];
