import { describe, expect, it } from 'vitest';
import { runName } from './run-engine.ts';

describe('the name of the run, which is the lock', () => {
	it('is the same for the same target, in every process', () => {
		expect(runName('production/Deployment/payment-api')).toBe('wfe-d0865e647c8f2f52');
		expect(runName('production/Deployment/payment-api')).toBe(runName('production/Deployment/payment-api'));
	});

	it('differs for different targets', () => {
		const targets = Array.from({ length: 10_000 }, (_, i) => `shop/Deployment/service-${i}`);
		const others = ['shop/Deployment/a', 'shop/StatefulSet/a', 'shop-a/Deployment/a', 'Deployment/a', 'Node/a'];
		expect(new Set([...targets, ...others].map(runName)).size).toBe(targets.length + others.length);
	});

	it('is a name that the API server takes', () => {
		expect(runName('shop/Deployment/cart')).toMatch(/^wfe-[0-9a-f]{16}$/);
	});
});
