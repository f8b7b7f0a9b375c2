import { describe, expect, it } from 'vitest';
import { honouredDurationMs, LOCK_DEFAULTS, lockProblem, resolveLockConfig } from './lock-config.ts';

const NAMED = { prefix: 'gw-lock-', podName: 'pod-1' };

it('the renew interval defaults to a third of the lease duration', () => {
	expect(resolveLockConfig(NAMED)).toEqual({ ...LOCK_DEFAULTS, ...NAMED, renewIntervalMs: 10_000 });
	expect(resolveLockConfig({ ...NAMED, leaseDurationMs: 60_000 }).renewIntervalMs).toBe(20_000);
});

describe('a configuration is rejected that has', () => {
	it.each([
		{ words: 'a duration below a second', options: { leaseDurationMs: 500 }, want: 'whole seconds' },
		{ words: 'a duration of half seconds', options: { leaseDurationMs: 30_500 }, want: 'whole seconds' },
		{ words: 'no time for a lost answer', options: { requestTimeoutMs: 9500 }, want: 'is 30000 ms and must be below' },
		{ words: 'no time between renewals', options: { renewIntervalMs: 0 }, want: 'renewIntervalMs is 0 ms' },
		{ words: 'a negative margin', options: { marginMs: -1000 }, want: 'marginMs is -1000 ms' },
		{
			words: 'a time that is not a number',
			options: { requestTimeoutMs: Number.NaN },
			want: 'requestTimeoutMs is NaN ms',
		},
		{ words: 'an infinite time', options: { sweepIntervalMs: Infinity }, want: 'sweepIntervalMs is Infinity ms' },
		{
			words: 'a maximum for peers below its own duration',
			options: { maxPeerDurationMs: 29_000 },
			want: 'at least our own 30000',
		},
		{ words: 'sweeping after a single duration', options: { sweepAfterDurations: 1 }, want: 'could hit a live lease' },
		{ words: 'a prefix that is not a DNS label', options: { prefix: 'GW_' }, want: 'must be a DNS label' },
		{ words: 'a prefix without a hyphen at its end', options: { prefix: 'gw' }, want: 'ends with a hyphen' },
		{ words: 'a prefix that is too long', options: { prefix: `${'a'.repeat(31)}-` }, want: 'at most 31 characters' },
		{ words: 'an empty pod name', options: { podName: '' }, want: 'the pod name is empty' },
	])('$words', ({ options, want }) => {
		expect(() => resolveLockConfig({ ...NAMED, ...options })).toThrow(want);
	});
});

it('lockProblem describes configured times that would be rejected, and is undefined for good ones', () => {
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
