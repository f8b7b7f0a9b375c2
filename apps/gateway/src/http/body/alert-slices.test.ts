import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sliceAlerts } from './alert-slices.ts';

function sliced(text: string): { envelope: string; alerts: string[] } | undefined {
	const bytes = Buffer.from(text);
	const slices = sliceAlerts(bytes);
	if (slices === undefined) return undefined;
	const { bounds } = slices;
	const alerts = Array.from({ length: bounds.length / 2 }, (_, i) =>
		bytes.subarray(bounds[2 * i], bounds[2 * i + 1]).toString(),
	);
	return { envelope: Buffer.from(slices.envelope).toString(), alerts };
}

describe('sliceAlerts', () => {
	it.each([
		{ body: '{"alerts":[]}', want: { envelope: '{"alerts":[]}', alerts: [] } },
		{ body: '{"alerts":[ ]}', want: { envelope: '{"alerts":[]}', alerts: [] } },
		{
			body: '{"a":1,"alerts": [ {"b":[1,2]} ,\n2 ],"c":"]"}',
			want: { envelope: '{"a":1,"alerts": [],"c":"]"}', alerts: ['{"b":[1,2]}', '2'] },
		},
		{ body: '{"alerts":[","," \\"]"]}', want: { envelope: '{"alerts":[]}', alerts: ['","', '" \\"]"'] } },
		{
			body: '{"x":{"alerts":[1]},"alerts":[2]}',
			want: { envelope: '{"x":{"alerts":[1]},"alerts":[]}', alerts: ['2'] },
		},
		{
			body: '{"x":"alerts","y":[1],"alerts":[2]}',
			want: { envelope: '{"x":"alerts","y":[1],"alerts":[]}', alerts: ['2'] },
		},
		{ body: '{"alerts":[1],"alerts":[2,3]}', want: { envelope: '{"alerts":[],"alerts":[]}', alerts: ['2', '3'] } },
		{ body: '{"alerts":[1,,2]}', want: { envelope: '{"alerts":[]}', alerts: ['1', '', '2'] } },
		{ body: '{"alerts":[1,]}', want: { envelope: '{"alerts":[]}', alerts: ['1', ''] } },
		{ body: '{"alerts":[,1]}', want: { envelope: '{"alerts":[]}', alerts: ['', '1'] } },
		{ body: '{"alerts":{"a":1}}', want: undefined },
		{ body: '{"other":[1]}', want: undefined },
		{ body: '[{"alerts":[1]}]', want: undefined },
		{ body: '{"alerts":[1', want: undefined },
	])('sliceAlerts of $body', ({ body, want }) => {
		expect(sliced(body)).toEqual(want);
	});

	it('a body that nests too deep is rejected', () => {
		expect(() => sliced(`{"alerts":[${'['.repeat(63)}`)).toThrow('deeper than 64 levels');
		expect(() => sliced(`{"alerts":[${'['.repeat(62)}`)).not.toThrow();
	});

	/** By the slices alone: undefined when any part is no JSON. */
	function parsed(text: string): unknown {
		try {
			const parts = sliced(text);
			if (parts === undefined) return undefined;
			return { ...(JSON.parse(parts.envelope) as object), alerts: parts.alerts.map((part) => JSON.parse(part)) };
		} catch {
			return undefined;
		}
	}
	function parsedAsAWhole(text: string): unknown {
		try {
			const body = JSON.parse(text) as { alerts?: unknown };
			return Array.isArray(body.alerts) ? body : undefined;
		} catch {
			return undefined;
		}
	}
	const bodies = fc
		.record({ a: fc.jsonValue(), alerts: fc.array(fc.jsonValue()), z: fc.jsonValue() })
		.map((body) => JSON.stringify(body, undefined, 1));

	it('envelope and slices are what JSON.parse finds', () => {
		fc.assert(
			fc.property(bodies, (text) => {
				expect(parsed(text)).toEqual(JSON.parse(text));
			}),
		);
	});

	it('a damaged body is accepted by its slices only if JSON.parse accepts it', () => {
		const damage = fc.tuple(bodies, fc.nat(), fc.constantFrom('', ',', ']', '[', '}', '{', '"', '\\', ':', ' ', '1'));
		fc.assert(
			fc.property(damage, ([text, place, by]) => {
				const at = place % text.length;
				const damaged = text.slice(0, at) + by + text.slice(at + 1);
				expect(parsed(damaged)).toEqual(parsedAsAWhole(damaged));
			}),
			{ numRuns: 2000 },
		);
	});
});
