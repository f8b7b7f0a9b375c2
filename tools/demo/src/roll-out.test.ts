import { expect, it } from 'vitest';
import { CRASH_ALERT, POD_COUNT, podName, rollOutIn } from './roll-out.ts';

it('the alerts of a roll-out are about all of its pods in turn', () => {
	const { bodyOf } = rollOutIn('shop');
	const labels = Array.from({ length: 2 * POD_COUNT }, (_, i) => JSON.parse(bodyOf(i)).alerts[0].labels);
	expect(new Set(labels.map(({ pod }) => pod))).toEqual(
		new Set(Array.from({ length: POD_COUNT }, (_, i) => podName(i))),
	);
	expect(new Set(labels.map(({ alertname, namespace }) => `${alertname} ${namespace}`))).toEqual(
		new Set([`${CRASH_ALERT} shop`]),
	);
});

it('each pod of a roll-out has a name of its own, as a controller generates it', () => {
	const names = Array.from({ length: POD_COUNT }, (_, i) => podName(i));
	expect(new Set(names).size).toBe(POD_COUNT);
	for (const name of names)
		expect(name).toMatch(/^storefront-[bcdfghjklmnpqrstvwxz2456789]{10}-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});
