import { describe, expect, it } from 'vitest';
import { KnownPause } from './known-pause.ts';
import type { ConfigMap } from './pause-switch.ts';

const configMap = (resourceVersion: number, data: Readonly<Record<string, string>>): ConfigMap => ({
	metadata: { name: 'p', uid: 'u', resourceVersion: String(resourceVersion) },
	data,
});
function aSwitch() {
	const changes: string[] = [];
	const known = new KnownPause(({ pause, isDeleted }) => changes.push(`${pause.scope}${isDeleted ? ', deleted' : ''}`));
	return { known, changes, isOn: () => known.pausedBecause('shop/Pod/a') !== undefined };
}

describe('the known pause switch', () => {
	it('is off without a ConfigMap, and reports each change once', () => {
		const { known, changes, isOn } = aSwitch();
		known.replaceAll([]);
		expect(isOn()).toBe(false);
		known.changed(configMap(1, { all: 'true' }));
		known.changed(configMap(1, { all: 'true' }));
		expect(isOn()).toBe(true);
		known.changed(configMap(2, { all: 'false' }));
		expect(isOn()).toBe(false);
		known.changed(configMap(3, {}));
		known.removed();
		known.removed();
		expect(isOn()).toBe(false);
		expect(changes).toEqual(['everything', 'nothing', 'everything', 'nothing, deleted']);
	});

	it('keeps what it read when the watch is late, and takes an older truth from a restored backup', () => {
		const { known, isOn } = aSwitch();
		known.changed(configMap(9, { all: 'true' }));
		known.replaceAll([configMap(5, { all: 'false' })], '7');
		expect(isOn()).toBe(true);
		known.replaceAll([configMap(5, { all: 'false' })], '7', true);
		expect(isOn()).toBe(false);
	});
});
