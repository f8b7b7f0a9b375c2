import { describe, expect, it } from 'vitest';
import { DEFERRAL_REASONS } from '../signal/signal.ts';
import { handledFrom } from './signal-result.ts';

const fingerprint = 'a'.repeat(64);
const request = { name: 'rr-1', namespace: 'ns' };
const INTERNALS = 'create remediationrequests in ns: forbidden; https://10.0.0.1 ECONNREFUSED';

describe('handledFrom', () => {
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
	] as const)('the result of a signal that is $outcome.outcome', ({ outcome, want }) => {
		expect(handledFrom(outcome, fingerprint)).toMatchObject({ result: { fingerprint, ...want } });
	});

	it.each(DEFERRAL_REASONS)('the result of a signal deferred as %s shows no internals', (reason) => {
		const handled = handledFrom({ outcome: 'deferred', reason, retryAfterMs: 1500, message: INTERNALS }, fingerprint);
		expect(handled).toMatchObject({
			result: { status: 'deferred', fingerprint },
			deferral: { because: reason, retryAfterMs: 1500 },
		});
		expect(JSON.stringify(handled)).not.toMatch(/remediationrequests in|10\.0\.0\.1|ECONN/);
	});

	it('the result of a rejected signal asks for no retry and shows no internals', () => {
		const handled = handledFrom({ outcome: 'rejected', message: INTERNALS }, fingerprint);
		expect(handled).toMatchObject({ result: { status: 'rejected', fingerprint } });
		expect(handled.deferral).toBeUndefined();
		expect(JSON.stringify(handled)).not.toMatch(/remediationrequests in|10\.0\.0\.1|ECONN/);
	});
});
