import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { RECONNECT_MS, SyncCheck } from './sync-check.ts';

function twoWatches() {
	const clock = new ManualClock();
	return { clock, sync: new SyncCheck(clock, ['pods', 'leases']) };
}

describe('the readiness of the watches', () => {
	it('comes when each of them was in sync once', () => {
		const { sync } = twoWatches();
		sync.changed('pods', true, 'listed');
		expect(sync.check()).toEqual({ name: 'watches', ok: false, message: 'out of sync: leases (not listed yet)' });
		sync.changed('leases', true, 'listed');
		expect(sync.check()).toMatchObject({ ok: true });
	});

	it('stays while a watch reconnects, and goes with the last reason when that does not succeed', () => {
		const { clock, sync } = twoWatches();
		for (const what of ['pods', 'leases']) sync.changed(what, true, 'listed');
		sync.changed('pods', false, 'cut');
		clock.advance(RECONNECT_MS - 1);
		sync.changed('pods', false, 'the Role lacks it');
		expect(sync.check()).toMatchObject({ ok: true });
		clock.advance(1);
		expect(sync.check()).toMatchObject({ ok: false, message: 'out of sync: pods (the Role lacks it)' });
		sync.changed('pods', true, 'watching');
		expect(sync.check()).toMatchObject({ ok: true });
	});
});
