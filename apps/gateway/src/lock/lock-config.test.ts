import { describe, expect, it } from 'vitest';
import { honouredDurationMs, LOCK_DEFAULTS, lockProblem, resolveLockConfig } from './lock-config.ts';

const NAMED = { prefix: 'gw-lock-', podName: 'pod-1' };

it('renews at a third of whatever the duration is', () => {
	expect(resolveLockConfig(NAMED)).toEqual({ ...LOCK_DEFAULTS, ...NAMED, renewIntervalMs: 10_000 });
	expect(resolveLockConfig({ ...NAMED, leaseDurationMs: 60_000 }).renewIntervalMs).toBe(20_000);
});

describe('refuses', () => {
	it.each([
		{ words: 'a duration below a second', options: { leaseDurationMs: 500 }, want: 'whole seconds' },
		{ words: 'part of a second', options: { leaseDurationMs: 30_500 }, want: 'whole seconds' },
		{ words: 'no time to lose an answer', options: { requestTimeoutMs: 9500 }, want: 'is 30000 ms and must be below' },
		{ words: 'a renewal without a pause', options: { renewIntervalMs: 0 }, want: 'renewIntervalMs is 0 ms' },
		{ words: 'a margin that goes the wrong way', options: { marginMs: -1000 }, want: 'marginMs is -1000 ms' },
		{ words: 'what is no number', options: { requestTimeoutMs: Number.NaN }, want: 'requestTimeoutMs is NaN ms' },
		{ words: 'what never ends', options: { sweepIntervalMs: Infinity }, want: 'sweepIntervalMs is Infinity ms' },
		{
			words: 'peers that may last less than we',
			options: { maxPeerDurationMs: 29_000 },
			want: 'at least our own 30000',
		},
		{ words: 'sweeping the living', options: { sweepAfterDurations: 1 }, want: 'could hit a live lease' },
		{ words: 'a prefix that is no name', options: { prefix: 'GW_' }, want: 'must be a DNS label' },
		{ words: 'a prefix without its hyphen', options: { prefix: 'gw' }, want: 'ends with a hyphen' },
		{ words: 'a prefix that leaves no room', options: { prefix: `${'a'.repeat(31)}-` }, want: 'at most 31 characters' },
		{ words: 'a pod without a name', options: { podName: '' }, want: 'the pod name is empty' },
	])('$words', ({ options, want }) => {
		expect(() => resolveLockConfig({ ...NAMED, ...options })).toThrow(want);
	});
});

it('says of configured times what it would refuse, or nothing', () => {
	expect(lockProblem({ leaseDurationMs: 30_000, requestTimeoutMs: 5000 })).toBeUndefined();
	expect(lockProblem({ leaseDurationMs: 15_000, requestTimeoutMs: 5000 })).toContain(
		'must be below the lease duration',
	);
});

it.each([
	{ durationMs: 60_000, want: 60_000 },
	{ durationMs: 5000, want: 5000 },
	{ durationMs: 2e12, want: 300_000 },
	{ durationMs: undefined, want: 30_000 },
])('a lease of $durationMs ms is honoured for $want ms', ({ durationMs, want }) => {
	expect(honouredDurationMs({ durationMs }, resolveLockConfig(NAMED))).toBe(want);
});
