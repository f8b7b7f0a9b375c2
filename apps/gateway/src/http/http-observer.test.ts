import { describe, expect, it } from 'vitest';
import { logHttp, withoutQuotes } from './http-observer.ts';

function logged() {
	const lines: { level: string; fields: object; message: string }[] = [];
	const write = (level: string) => (fields: object, message: string) => void lines.push({ level, fields, message });
	const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
	return { lines, observer: logHttp(log) };
}

describe('the log of the HTTP side', () => {
	it.each([
		{ status: 201, want: 'info' },
		{ status: 400, want: 'info' },
		{ status: 'gone', want: 'info' },
		{ status: 500, want: 'warn' },
		{ status: 503, want: 'warn' },
	] as const)('an answer $status is logged at level $want', ({ status, want }) => {
		const { lines, observer } = logged();
		observer.answered({ requestId: 'id', method: 'POST', route: 'other', status, seconds: 1 });
		expect(lines).toMatchObject([{ level: want, fields: { requestId: 'id', status }, message: 'answered' }]);
	});

	it('a rejected signal is logged with the reason, without values of the sender', () => {
		const { lines, observer } = logged();
		observer.rejected('id', 'RemediationRequest "rr-1" is invalid: spec.severity: Invalid value: "s3cret"');
		expect(lines).toEqual([
			{
				level: 'warn',
				fields: {
					requestId: 'id',
					detail: 'RemediationRequest "…" is invalid: spec.severity: Invalid value: "…"',
				},
				message: 'signal rejected',
			},
		]);
	});
});

it('a deferred signal is logged with the rule that the Role lacks, as it can be copied', () => {
	const { lines, observer } = logged();
	const rule = '{"apiGroups":["kubernaut.ai"],"resources":["remediationrequests/status"],"verbs":["patch"]}';
	const detail = `patch remediationrequests/status in home: forbidden; the Role lacks ${rule}`;
	observer.deferred('id', 'api-forbidden', detail);
	expect(lines).toMatchObject([{ level: 'warn', fields: { reason: 'api-forbidden', detail } }]);
});

describe('withoutQuotes', () => {
	it.each([
		{ text: 'plain', want: 'plain' },
		{ text: 'a "b" c "d"', want: 'a "…" c "…"' },
		{ text: 'a "b\\"c" d', want: 'a "…" d' },
		{ text: 'a "two\nlines" b', want: 'a "…" b' },
		{ text: 'cut off: "abc', want: 'cut off: "…"' },
		{
			text: '"s3cret" needs {"apiGroups":["a"],"resources":["s3cret value"],"verbs":["get"]}',
			want: '"…" needs {"…":["…"],"…":["…"],"…":["…"]}',
		},
		{ text: 'x'.repeat(1000), want: 'x'.repeat(500) },
	])('withoutQuotes turns $text into $want', ({ text, want }) => {
		expect(withoutQuotes(text)).toBe(want);
	});
});
