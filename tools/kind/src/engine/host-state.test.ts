import { describe, expect, it } from 'vitest';
import { completeTables } from './host-state.ts';

describe('rules that are put back', () => {
	it('empty the tables that were not there before', () => {
		const text = completeTables('');
		expect(text).toBe(
			[
				'*filter',
				':INPUT ACCEPT [0:0]',
				':FORWARD ACCEPT [0:0]',
				':OUTPUT ACCEPT [0:0]',
				'COMMIT',
				'*nat',
				':PREROUTING ACCEPT [0:0]',
				':INPUT ACCEPT [0:0]',
				':OUTPUT ACCEPT [0:0]',
				':POSTROUTING ACCEPT [0:0]',
				'COMMIT',
				'',
			].join('\n'),
		);
	});

	it('keep the tables that were there as they were', () => {
		const filter = '*filter\n:INPUT DROP [1:2]\n-A INPUT -i lo -j ACCEPT\nCOMMIT';
		const text = completeTables(filter);
		expect(text.startsWith(filter)).toBe(true);
		expect(text.match(/\*filter/g)).toHaveLength(1);
		expect(text).toContain('*nat\n');
	});
});
