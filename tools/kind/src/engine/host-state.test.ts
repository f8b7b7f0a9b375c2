import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { completeTables, earlierRecord, type HostState } from './host-state.ts';

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

describe('what a killed run has recorded', () => {
	const record = (): { file: string; state: HostState } => {
		const directory = mkdtempSync(join(tmpdir(), 'kubernaut-host-'));
		onTestFinished(() => rmSync(directory, { recursive: true }));
		const file = join(directory, 'host-before.json');
		const state: HostState = { boot: 'first', sysctls: {}, tables: { iptables: '*filter\nCOMMIT' }, links: [] };
		writeFileSync(file, JSON.stringify(state));
		return { file, state };
	};

	it('is what was there before, for the next run', () => {
		const { file, state } = record();
		expect(earlierRecord(file, 'first')).toEqual(state);
		expect(earlierRecord(`${file}.none`, 'first')).toBeUndefined();
	});

	it('is over when the machine was started anew: a firewall that was set up since stays', () => {
		expect(earlierRecord(record().file, 'second')).toBeUndefined();
	});
});
