import { describe, expect, it } from 'vitest';
import { DEFERRAL_REASONS } from '../signal/signal.ts';
import { handledFrom } from './signal-result.ts';

const fingerprint = 'a'.repeat(64);
const request = { name: 'rr-1', namespace: 'ns' };
const INTERNALS = 'create remediationrequests in ns: forbidden; https://10.0.0.1 ECONNREFUSED';

describe('what the caller reads', () => {
	it.each([
		{
			outcome: { outcome: 'created', request, occurrenceCount: 1 },
			want: { status: 'created', duplicate: false, occurrenceCount: 1, remediationRequestName: 'rr-1' },
		},
		{
			outcome: { outcome: 'duplicate', request, occurrenceCount: 9 },
			want: { status: 'duplicate', duplicate: true, occurrenceCount: 9, remediationRequestNamespace: 'ns' },
		},
		{ outcome: { outcome: 'resolved', request }, want: { status: 'resolved', remediationRequestName: 'rr-1' } },
		{ outcome: { outcome: 'resolved' }, want: { status: 'ignored' } },
	] as const)('of $outcome.outcome', ({ outcome, want }) => {
		expect(handledFrom(outcome, fingerprint)).toMatchObject({ result: { fingerprint, ...want } });
	});

	it.each(DEFERRAL_REASONS)('of %s is to come again, and nothing of our insides', (reason) => {
		const handled = handledFrom({ outcome: 'deferred', reason, retryAfterMs: 1500, message: INTERNALS }, fingerprint);
		expect(handled).toMatchObject({
			result: { status: 'deferred', fingerprint },
			deferral: { because: reason, retryAfterMs: 1500 },
		});
		expect(JSON.stringify(handled)).not.toMatch(/remediationrequests in|10\.0\.0\.1|ECONN/);
	});

	it('of a refusal is that it is for good, and nothing of our insides', () => {
		const handled = handledFrom({ outcome: 'rejected', message: INTERNALS }, fingerprint);
		expect(handled).toMatchObject({ result: { status: 'rejected', fingerprint } });
		expect(handled.deferral).toBeUndefined();
		expect(JSON.stringify(handled)).not.toMatch(/remediationrequests in|10\.0\.0\.1|ECONN/);
	});
});
