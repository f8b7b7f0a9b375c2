import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { impliedOwners, workloadOf } from './generated-name.ts';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const letters = (min: number, max: number) =>
	fc.array(fc.constantFrom(...ALPHABET.split('')), { minLength: min, maxLength: max }).map((all) => all.join(''));
const label = fc.stringMatching(/^[a-z]([-a-z0-9]{0,30}[a-z0-9])?$/);
const minutes = fc.integer({ min: 25_000_000, max: 39_999_999 });

/** As the API server makes it: the base is cut, so that the name has 63 characters at most. */
const generated = (base: string, suffix: string) => `${base.slice(0, 58)}${suffix}`;

describe('workloadOf', () => {
	it.each([
		{ kind: 'Pod', name: 'cart-7d4b9c8f6-x2x8p', want: 'Deployment/cart' },
		{ kind: 'Pod', name: 'my-cart-2-7d4b9c8f6-x2x8p', want: 'Deployment/my-cart-2' },
		{ kind: 'Pod', name: 'fluent-bit-x2x8p', want: 'DaemonSet/fluent-bit' },
		{ kind: 'Pod', name: 'backup-29383200-x2x8p', want: 'CronJob/backup' },
		{ kind: 'Pod', name: 'backup-29383200', want: 'CronJob/backup' },
		{ kind: 'Job', name: 'backup-29383200', want: 'CronJob/backup' },
		{ kind: 'ReplicaSet', name: 'cart-7d4b9c8f6', want: 'Deployment/cart' },
		{ kind: 'Pod', name: `${'a'.repeat(56)}-7x2x8p`, want: `Deployment/${'a'.repeat(56)}` },
		{ kind: 'Pod', name: 'redis-0', want: undefined },
		{ kind: 'Pod', name: 'redis-10', want: undefined },
		{ kind: 'Pod', name: 'etcd-control-1', want: undefined },
		{ kind: 'Pod', name: 'cart-abcde', want: undefined }, // vowels are never generated
		{ kind: 'Pod', name: 'cart-x2x3p', want: undefined }, // neither are 0, 1 and 3
		{ kind: 'Pod', name: 'tenant-12345678', want: undefined }, // no time of our days
		{ kind: 'Pod', name: `${'s'.repeat(61)}-0`, want: undefined },
		{ kind: 'Job', name: 'migrate-x2x8p', want: undefined }, // a person generated it
		{ kind: 'Deployment', name: 'cart-7d4b9c8f6', want: undefined },
		{ kind: 'Pod', name: '-x2x8p', want: undefined },
	])('$kind $name belongs to $want', ({ kind, name, want }) => {
		const found = workloadOf({ kind, name });
		expect(found && `${found.kind}/${found.name}`).toBe(want);
	});

	it('every pod of a Deployment belongs to it, whatever its hash and however long its name', () => {
		fc.assert(
			fc.property(
				fc.stringMatching(/^[a-z]([a-z0-9]{0,56}[a-z0-9])?$/),
				letters(6, 10),
				letters(5, 5),
				(name, hash, suffix) => {
					const pod = generated(`${name}-${hash}-`, suffix);
					expect(workloadOf({ kind: 'Pod', name: pod })?.name).toBe(name.length <= 57 ? name : undefined);
				},
			),
			{ examples: [['a'.repeat(57), 'bcdfgh', 'bcdfg']] },
		);
	});

	it('all pods of one Deployment belong to the same workload', () => {
		fc.assert(
			fc.property(label, letters(6, 10), letters(6, 10), letters(5, 5), letters(5, 5), (name, one, other, a, b) => {
				expect(workloadOf({ kind: 'Pod', name: generated(`${name}-${one}-`, a) })).toEqual(
					workloadOf({ kind: 'Pod', name: generated(`${name}-${other}-`, b) }),
				);
			}),
		);
	});

	it('all runs of a CronJob belong to it', () => {
		fc.assert(
			fc.property(label, minutes, letters(5, 5), (name, time, suffix) => {
				expect(workloadOf({ kind: 'Job', name: `${name}-${time}` })).toEqual({ kind: 'CronJob', name });
				expect(workloadOf({ kind: 'Pod', name: `${name}-${time}-${suffix}` })).toEqual({ kind: 'CronJob', name });
			}),
		);
	});

	it('the pods of a StatefulSet stay apart', () => {
		fc.assert(
			fc.property(label, fc.nat(9999), (name, ordinal) => {
				expect(workloadOf({ kind: 'Pod', name: `${name}-${ordinal}` })).toBeUndefined();
			}),
		);
	});
});

describe('impliedOwners', () => {
	it.each([
		{ name: 'cart-7d4b9c8f6-x2x8p', want: ['ReplicaSet/cart-7d4b9c8f6'] },
		{ name: 'backup-29383200-x2x8p', want: ['Job/backup-29383200'] },
		{ name: 'migrate-x2x8p', want: ['Job/migrate', 'ReplicaSet/migrate'] },
		{ name: 'redis-0', want: [] },
		{ name: `${'a'.repeat(56)}-7x2x8p`, want: [] }, // cut: the owner's name is not whole
	])('the pod $name implies $want', ({ name, want }) => {
		expect(impliedOwners({ kind: 'Pod', name }).map((owner) => `${owner.kind}/${owner.name}`)).toEqual(want);
	});
});
