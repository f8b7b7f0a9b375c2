import { describe, expect, it } from 'vitest';
import { lacksCapabilities } from './capability-runtime.ts';
import { boundingNames, CAPABILITIES, withoutMissing } from './drop-capabilities.mjs';

const status = (bounding: string) => `Name:\tnode\nCapBnd:\t${bounding}\nCapAmb:\t0\n`;

describe('the capabilities of a machine', () => {
	it.each([
		{ bounding: '000001ffffffffff', want: false },
		{ bounding: '000001fffeffffff', want: true }, // without CAP_SYS_RESOURCE, number 24
	])('$bounding lacks some: $want', ({ bounding, want }) => {
		expect(lacksCapabilities(status(bounding), 40)).toBe(want);
	});

	it('are named in the order of their numbers', () => {
		expect([CAPABILITIES.length, CAPABILITIES[0], CAPABILITIES[21], CAPABILITIES[24], CAPABILITIES[40]]).toEqual([
			41,
			'CAP_CHOWN',
			'CAP_SYS_ADMIN',
			'CAP_SYS_RESOURCE',
			'CAP_CHECKPOINT_RESTORE',
		]);
	});

	it.each([
		{ of: 'a container', wrap: (capabilities: object) => ({ process: { capabilities } }) },
		{ of: 'a process', wrap: (capabilities: object) => ({ capabilities }) },
	])('that are missing are taken out of the settings of $of, and no others', ({ wrap }) => {
		const have = boundingNames(status('000001fffeffffff'));
		const asked = { bounding: ['CAP_CHOWN', 'CAP_SYS_RESOURCE'], effective: ['CAP_SYS_RESOURCE'] };
		expect(withoutMissing(wrap(structuredClone(asked)), have)).toEqual(
			wrap({ bounding: ['CAP_CHOWN'], effective: [] }),
		);
	});
});
