import { describe, expect, it } from 'vitest';
import { MAX_ALERTS, MAX_PART_BYTES, MAX_WHOLE_BYTES, readWebhook } from './webhook-body.ts';

const padding = ' '.repeat(MAX_WHOLE_BYTES);
const small = '{"receiver":"r","alerts":[{"status":"firing"},{"status":"resolved"},3]}';
const read = (text: string) => readWebhook(Buffer.from(text));

describe('the body of a webhook', () => {
	it.each([
		{ size: 'small', body: small },
		{ size: 'large', body: small + padding },
	])('a $size body has its envelope, and its alerts one by one', ({ body }) => {
		const { envelope, count, alert } = read(body);
		expect([envelope, count]).toEqual([{ receiver: 'r' }, 3]);
		expect([alert(1), alert(0), alert(2)]).toEqual([{ status: 'resolved' }, { status: 'firing' }, 3]);
	});

	it.each([
		{ what: 'is no object', body: '[1]' },
		{ what: 'has no alerts', body: '{"receiver":"r"}' },
		{ what: 'has an alert that is no JSON', body: '{"alerts":[1,{"a":}]}' },
		{ what: 'has text behind it', body: '{"alerts":[1]}x' },
		{ what: 'has a key __proto__', body: '{"__proto__":1,"alerts":[1]}' },
		{ what: 'nests too deep', body: `{"alerts":[${'['.repeat(63)}${']'.repeat(63)}]}` },
	])('a body that $what is rejected, small or large', ({ body }) => {
		expect(() => read(body)).toThrow();
		expect(() => read(body + padding)).toThrow();
	});

	it('a byte order mark is allowed before a body, and not before an alert', () => {
		expect(read(`\ufeff${small}${padding}`).count).toBe(3);
		expect(() => read(`{"alerts":[\ufeff1]}${padding}`)).toThrow('not JSON');
	});

	it('bytes that are not UTF-8 are rejected, small or large', () => {
		for (const rest of ['', padding]) {
			const bytes = Buffer.from(`{"alerts":["?"]}${rest}`);
			bytes[12] = 0xff;
			expect(() => readWebhook(bytes)).toThrow('not UTF-8');
		}
	});

	it('an alert that is too large is left out, its neighbours are not', () => {
		const { alert } = read(`{"alerts":[1,{"x":"${'x'.repeat(MAX_PART_BYTES)}"},2]}`);
		expect([alert(0), alert(1), alert(2)]).toEqual([1, undefined, 2]);
	});

	it('a body with too many alerts, or with too much beside them, is rejected', () => {
		expect(() => read(`{"alerts":[${'1,'.repeat(MAX_ALERTS)}1]}`)).toThrow('more than 50000 alerts');
		expect(() => read(`{"x":"${'x'.repeat(MAX_PART_BYTES)}","alerts":[1]}`)).toThrow('outside of its alerts');
	});

	it('many small alerts weigh more than few large ones of the same bytes', () => {
		const many = read(`{"alerts":[${'1,'.repeat(50_000 - 1)}1]}`);
		const few = read(`{"alerts":["${'x'.repeat(100_000)}"]}`);
		expect(many.weight).toBeGreaterThan(100 * few.weight);
	});
});
