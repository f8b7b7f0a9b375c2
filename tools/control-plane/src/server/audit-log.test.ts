import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { AuditLog, auditFlags } from './audit-log.ts';

let directory: string;
let log: AuditLog;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), 'audit-log-'));
	log = new AuditLog(directory);
});
afterEach(() => rmSync(directory, { recursive: true }));

// As the API server writes them, without the fields that are not read here.
const GET_LEASE = {
	stage: 'ResponseComplete',
	requestURI: '/apis/coordination.k8s.io/v1/namespaces/one/leases/a',
	verb: 'get',
	user: { username: 'alice' },
	userAgent: 'gateway/1.0 (test)',
	objectRef: { resource: 'leases', namespace: 'one', name: 'a', apiGroup: 'coordination.k8s.io', apiVersion: 'v1' },
	responseStatus: { metadata: {}, code: 200 },
};
const UPDATE_STATUS = {
	...GET_LEASE,
	verb: 'update',
	userAgent: 'orchestrator',
	objectRef: { resource: 'remediationrequests', subresource: 'status', namespace: 'two', name: 'b' },
	responseStatus: { code: 409 },
};
const WATCH = {
	...GET_LEASE,
	stage: 'ResponseStarted',
	verb: 'watch',
	requestURI: '/apis/coordination.k8s.io/v1/leases?watch=true',
	objectRef: { resource: 'leases' },
};
const READYZ = { stage: 'ResponseComplete', verb: 'get', requestURI: '/readyz?verbose', responseStatus: { code: 200 } };

function append(...events: object[]): void {
	for (const event of events) appendFileSync(log.path, `${JSON.stringify(event)}\n`);
}

describe('calls', () => {
	it('are what was answered: who asked, for what, with which result', () => {
		append(GET_LEASE, UPDATE_STATUS, READYZ);
		const [get, update, readyz] = log.calls();
		expect(get).toEqual({
			userAgent: 'gateway/1.0 (test)',
			user: 'alice',
			verb: 'get',
			resource: 'leases',
			namespace: 'one',
			name: 'a',
			code: 200,
		});
		expect(update).toMatchObject({ resource: 'remediationrequests/status', code: 409 });
		expect(readyz).toMatchObject({ resource: '/readyz', userAgent: '', user: '', namespace: '' });
	});

	it('count a watch once, when it starts, whether or not it ends', () => {
		append(WATCH, { ...WATCH, stage: 'ResponseComplete' }, WATCH);
		expect(log.calls().map(({ verb }) => verb)).toEqual(['watch', 'watch']);
	});

	it('count any other call once, when it is done', () => {
		append({ ...GET_LEASE, stage: 'ResponseStarted' }, GET_LEASE, { ...GET_LEASE, stage: 'Panic' });
		expect(log.calls()).toHaveLength(1);
	});

	it.each([
		{ filter: { userAgent: 'orchestrator' }, want: 1 },
		{ filter: { verb: 'get' }, want: 2 },
		{ filter: { verb: 'get', resource: 'leases' }, want: 1 },
		{ filter: { namespace: 'two', verb: 'get' }, want: 0 },
	])('filtered by $filter', ({ filter, want }) => {
		append(GET_LEASE, UPDATE_STATUS, READYZ);
		expect(log.calls(0, filter)).toHaveLength(want);
	});

	it('of a log that was not begun are none', () => {
		expect(log.calls()).toEqual([]);
		expect(log.mark()).toBe(0);
	});

	it('leave a line alone that the API server has not finished', () => {
		append(GET_LEASE);
		const line = JSON.stringify(UPDATE_STATUS);
		appendFileSync(log.path, line.slice(0, 50));
		expect(log.calls()).toHaveLength(1);
		const mark = log.mark();
		appendFileSync(log.path, `${line.slice(50)}\n`);
		expect(log.calls(mark)).toHaveLength(1);
		expect(log.calls()).toHaveLength(2);
	});
});

it('counts by user agent, verb and resource, from a mark on', () => {
	append(GET_LEASE, GET_LEASE);
	const mark = log.mark();
	append(GET_LEASE, UPDATE_STATUS, GET_LEASE);
	expect([...log.counts(mark)]).toEqual([
		['gateway/1.0 (test) get leases', 2],
		['orchestrator update remediationrequests/status', 1],
	]);
	expect(log.counts(mark, { verb: 'get' }).size).toBe(1);
});

it('reads from a mark on, however much lies before it', () => {
	append(GET_LEASE);
	truncateSync(log.path, 2 ** 30); // more than a string can hold; a hole in the file, so it takes no space
	append({}, { ...GET_LEASE, user: { username: 'zoë' } });
	const mark = log.mark();
	append(UPDATE_STATUS);
	expect(log.calls(mark)).toMatchObject([{ verb: 'update' }]);
});

it('a mark is behind the last whole line, wherever that ends', () => {
	append({ ...GET_LEASE, userAgent: 'ü'.repeat(100_000) });
	const line = JSON.stringify({ ...UPDATE_STATUS, userAgent: 'ü'.repeat(100_000) });
	appendFileSync(log.path, line.slice(0, 90_000));
	const mark = log.mark();
	appendFileSync(log.path, `${line.slice(90_000)}\n`);
	expect(log.calls(mark)).toMatchObject([{ verb: 'update' }]);
});

it('a log that was begun anew after the mark is an error, not a smaller count', () => {
	append(GET_LEASE, GET_LEASE);
	const mark = log.mark();
	writeFileSync(log.path, '');
	append(GET_LEASE);
	expect(() => log.calls(mark)).toThrow('begun anew');
});

it('a log that cannot be read is an error, not an empty log', () => {
	expect(() => new AuditLog('/dev/null').calls()).toThrow('ENOTDIR');
});

it('asks the API server for one line per stage that counts, in one file that never starts anew', () => {
	const flags = auditFlags(directory);
	expect(flags).toContain(`--audit-log-path=${log.path}`);
	expect(flags).toContain('--audit-log-maxsize=0');
	const policy = parse(readFileSync(join(directory, 'audit-policy.yaml'), 'utf8')) as object;
	expect(policy).toMatchObject({ omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] });
});
