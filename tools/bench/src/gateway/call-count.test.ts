import { describe, expect, it } from 'vitest';
import { isForSignals } from './call-count.ts';

describe('a call', () => {
	it.each([
		{ verb: 'create', resource: 'leases', want: true },
		{ verb: 'delete', resource: 'leases', want: true },
		{ verb: 'get', resource: 'remediationrequests', want: true },
		{ verb: 'patch', resource: 'remediationrequests/status', want: true },
		{ verb: 'list', resource: 'remediationrequests', want: true },
		{ verb: 'list', resource: 'leases', want: false },
		{ verb: 'watch', resource: 'remediationrequests', want: false },
		{ verb: 'watch', resource: 'leases', want: false },
	])('$verb $resource counts: $want', ({ verb, resource, want }) => {
		expect(isForSignals({ verb, resource })).toBe(want);
	});
});
