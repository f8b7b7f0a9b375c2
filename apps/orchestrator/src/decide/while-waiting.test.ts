import { describe, expect, it } from 'vitest';
import { aBlockedRequest, anEnd, aRequest, MINUTE } from '../../test/harness/made-up.ts';
import { endedWhileWaiting } from './while-waiting.ts';

/** Received a minute ago. */
const run = (agoMs: number, changes = {}) => anEnd('Completed', agoMs, { resourceVersion: '50', ...changes });

describe('a run', () => {
	it.each([
		{ what: 'that ended after the request was received', ended: run(0), want: true },
		{ what: 'that ended before', ended: run(2 * MINUTE), want: false },
	])('$what, by the clock', ({ ended, want }) => {
		expect(endedWhileWaiting(aRequest(), ended)).toBe(want);
	});

	it('that had ended when the request was created is not one, however far its clock is ahead', () => {
		const ended = run(-10 * MINUTE);
		expect(endedWhileWaiting(aRequest({ createdVersion: '51' }), ended)).toBe(false);
		expect(endedWhileWaiting(aRequest({ createdVersion: '49' }), ended)).toBe(true);
		const waiting = aBlockedRequest({
			reason: 'RecentlyRemediated',
			message: '',
			holder: { name: 'we-0', uid: ended.uid },
		});
		expect(endedWhileWaiting(waiting, ended)).toBe(false);
	});

	it('that was made after the request was decided on is one, however late its clock is', () => {
		const ended = run(10 * MINUTE, { fencingToken: 40 });
		expect(endedWhileWaiting(aBlockedRequest({ reason: 'Paused', message: '' }, { fencingToken: 30 }), ended)).toBe(
			true,
		);
		expect(endedWhileWaiting(aBlockedRequest({ reason: 'Paused', message: '' }, { fencingToken: 41 }), ended)).toBe(
			false,
		);
	});
});
