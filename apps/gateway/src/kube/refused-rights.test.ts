import { describe, expect, it } from 'vitest';
import { RefusedRights } from './refused-rights.ts';

const right = { verb: 'create', resource: 'leases', namespace: 'a' } as const;

function setUp() {
	let now = 1000;
	const rights = new RefusedRights(() => now);
	return { rights, pass: (ms: number) => void (now += ms) };
}

describe('a right that is refused', () => {
	it('a refusal lasts when it is repeated after 15 s, not before', () => {
		const { rights, pass } = setUp();
		expect(rights.refused(right)).toBe(false);
		pass(14_999);
		expect(rights.refused(right)).toBe(false);
		pass(1);
		expect(rights.refused(right)).toBe(true);
	});

	it('a right that was granted meanwhile starts anew', () => {
		const { rights, pass } = setUp();
		rights.refused(right);
		pass(10_000);
		rights.granted(right);
		pass(10_000);
		expect(rights.refused(right)).toBe(false);
	});

	it('a refusal that was not repeated for 2 minutes is forgotten: the next one is a first one', () => {
		const { rights, pass } = setUp();
		rights.refused(right);
		pass(119_999);
		expect(rights.refused(right)).toBe(true);
		pass(120_000);
		expect(rights.refused(right)).toBe(false);
		pass(15_000);
		expect(rights.refused(right)).toBe(true);
	});

	it.each([
		{ ...right, verb: 'get' },
		{ ...right, resource: 'events' },
		{ ...right, namespace: 'b' },
	] as const)('another right ($verb $resource in $namespace) has a time of its own', (other) => {
		const { rights, pass } = setUp();
		rights.refused(right);
		pass(20_000);
		expect(rights.refused(other)).toBe(false);
		rights.granted(other);
		expect(rights.refused(right)).toBe(true);
	});
});
