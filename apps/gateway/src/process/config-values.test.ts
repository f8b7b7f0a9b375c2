import { describe, expect, it } from 'vitest';
import { duration, durationAboveZero, oneOf, port, text, type Value } from './config-values.ts';

type Case = { kind: string; value: Value<unknown>; raw: unknown; want: unknown };

const CASES: Case[] = [
	{ kind: 'port', value: port, raw: '8081', want: 8081 },
	{ kind: 'port', value: port, raw: 8081, want: 8081 },
	{ kind: 'port', value: port, raw: ' 80 ', want: 80 },
	{ kind: 'port', value: port, raw: '0', want: undefined },
	{ kind: 'port', value: port, raw: '65536', want: undefined },
	{ kind: 'port', value: port, raw: '80.5', want: undefined },
	{ kind: 'port', value: port, raw: '0x50', want: undefined },
	{ kind: 'port', value: port, raw: '', want: undefined },
	{ kind: 'port', value: port, raw: true, want: undefined },
	{ kind: 'duration', value: duration, raw: '250ms', want: 250 },
	{ kind: 'duration', value: duration, raw: '30s', want: 30_000 },
	{ kind: 'duration', value: duration, raw: '5m', want: 300_000 },
	{ kind: 'duration', value: duration, raw: '1h', want: 3_600_000 },
	{ kind: 'duration', value: duration, raw: '30', want: undefined },
	{ kind: 'duration', value: duration, raw: 30, want: undefined },
	{ kind: 'duration', value: duration, raw: '-5s', want: undefined },
	{ kind: 'duration', value: duration, raw: '1.5s', want: undefined },
	{ kind: 'duration', value: duration, raw: '99999999999999999999h', want: undefined },
	{ kind: 'duration', value: duration, raw: '576h', want: 2_073_600_000 },
	{ kind: 'duration', value: duration, raw: '577h', want: undefined },
	{ kind: 'duration', value: duration, raw: '0s', want: 0 },
	{ kind: 'duration above zero', value: durationAboveZero, raw: '0s', want: undefined },
	{ kind: 'duration above zero', value: durationAboveZero, raw: '1ms', want: 1 },
	{ kind: 'one of', value: oneOf('info', 'warn'), raw: 'warn', want: 'warn' },
	{ kind: 'one of', value: oneOf('info', 'warn'), raw: 'WARN', want: undefined },
	{ kind: 'text', value: text, raw: ' x ', want: 'x' },
	{ kind: 'text', value: text, raw: '  ', want: undefined },
	{ kind: 'text', value: text, raw: 7, want: undefined },
];

describe('configuration values', () => {
	it.each(CASES)('$kind: $raw becomes $want', ({ value, raw, want }) => {
		expect(value.parse(raw)).toBe(want);
	});
});
