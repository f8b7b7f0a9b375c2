import { describe, expect, it } from 'vitest';
import { poisonIn } from './poison.ts';

describe('poisonIn', () => {
	it.each([
		{ body: '{"__proto__":{"admin":true}}', want: '__proto__' },
		{ body: '[{"\\u005f_proto__":1}]', want: '__proto__' },
		{ body: '{"a":[{"b":{"__proto__":null}}]}', want: '__proto__' },
		{ body: '{"constructor":{"prototype":{}}}', want: 'constructor.prototype' },
	])('poisonIn finds the key of $body', ({ body, want }) => {
		expect(poisonIn(JSON.parse(body))).toContain(want);
	});

	it.each([
		'null',
		'1',
		'"__proto__"',
		'{"constructor":"x","prototype":{}}',
		'{"constructor":{"name":"x"}}',
		'[[],{}]',
	])('poisonIn finds nothing in %s', (body) => {
		expect(poisonIn(JSON.parse(body))).toBeUndefined();
	});
});
