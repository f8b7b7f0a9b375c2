import { ownIdentity } from '@kubernaut/workspace/process-identity';
import { describe, expect, it } from 'vitest';
import type { Instance, InstanceRecord } from '../running/instances.ts';
import { ageText, statusTable } from './status-table.ts';

const NOW = new Date('2026-11-16T12:00:00Z');
const RECORD: InstanceRecord = {
	source: 'binaries',
	description: 'Kubernetes 1.36.3',
	version: '1.36.3',
	url: 'https://127.0.0.1:12345',
	kubeconfigPath: '/somewhere/kubeconfig',
	auditLog: false,
	tekton: false,
};
const BOTH = [
	{ name: 'etcd', pid: 11, alive: true },
	{ name: 'kube-apiserver', pid: 12, alive: true },
];
const DEAD_OWNER = { pid: 2 ** 30, startedAt: 'never' };

function instance(part: Partial<Instance>): Instance {
	return {
		name: 'default',
		directory: '/somewhere',
		kept: true,
		owner: undefined,
		record: RECORD,
		processes: BOTH,
		startedAt: new Date(NOW.getTime() - 90_000),
		...part,
	};
}

function rowOf(part: Partial<Instance>): string[] {
	return (
		statusTable([instance(part)], NOW)
			.split('\n')[1]
			?.split(/ {2,}/) ?? []
	);
}

describe('a row', () => {
	it('has all that one wants to know', () => {
		const want = ['default', 'up', '1.36.3', '1 min', 'https://127.0.0.1:12345', 'down', 'etcd 11, kube-apiserver 12'];
		expect(rowOf({})).toEqual(want);
	});

	it.each<{ what: string; part: Partial<Instance>; want: string }>([
		{ what: 'kept and complete', part: {}, want: 'up' },
		{ what: 'one process has ended', part: { processes: [BOTH[0]!, { ...BOTH[1]!, alive: false }] }, want: 'dead' },
		{ what: 'an up that has not got so far', part: { record: undefined, owner: ownIdentity() }, want: 'starting' },
		{ what: 'an up that was killed', part: { record: undefined, owner: DEAD_OWNER }, want: 'dead' },
		{ what: 'a test run’s', part: { kept: false, owner: ownIdentity() }, want: 'up' },
		{
			what: 'a test run’s, starting',
			part: { kept: false, record: undefined, owner: ownIdentity() },
			want: 'starting',
		},
		{
			what: 'a single part of a test run',
			part: { kept: false, record: undefined, owner: ownIdentity(), processes: [{ ...BOTH[0]!, name: 'toxiproxy' }] },
			want: 'running',
		},
		{
			what: 'k3s, whose command lives',
			part: { record: { ...RECORD, source: 'k3s' }, processes: [], owner: ownIdentity() },
			want: 'up',
		},
		{
			what: 'k3s, whose command was killed',
			part: { record: { ...RECORD, source: 'k3s' }, processes: [], owner: DEAD_OWNER },
			want: 'dead',
		},
		{
			what: 'a named server, by its kubeconfig',
			part: { record: { ...RECORD, source: 'kubeconfig' }, processes: [] },
			want: 'up',
		},
	])('$what: $want', ({ part, want }) => {
		expect(rowOf(part)[1]).toBe(want);
	});

	it('says with which process it ends', () => {
		expect(rowOf({ kept: false, owner: ownIdentity() })[5]).toBe(`process ${process.pid} ends`);
	});
});

it('leaves out directories of others in which nothing runs', () => {
	const idle = instance({ kept: false, record: undefined, owner: ownIdentity(), processes: [] });
	expect(statusTable([idle])).toBe('No control plane is running.');
	expect(statusTable([])).toBe('No control plane is running.');
});

it.each([
	[-5, '0 s'],
	[59_999, '59 s'],
	[60_000, '1 min'],
	[3_599_999, '59 min'],
	[7_300_000, '2 h'],
	[200_000_000, '2 d'],
])('%d ms are %s', (ms, want) => {
	expect(ageText(ms)).toBe(want);
});
