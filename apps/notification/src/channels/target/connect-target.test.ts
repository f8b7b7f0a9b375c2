import { describe, expect, it } from 'vitest';
import { certificates } from '../../../test/channels/set-up.ts';
import { authorities, type TargetOptions } from './connect-target.ts';

function options(ca: () => string | undefined): TargetOptions {
	return { isAllowed: () => true, ca };
}

describe('the authorities of receivers', () => {
	it('are those of the system when no file is set', () => {
		expect(authorities(options(() => undefined))).toBeUndefined();
	});

	it('are parsed once, and again when the file changed', async () => {
		let ca = (await certificates()).ca;
		const target = options(() => ca);
		const first = authorities(target);
		expect(first).toBeDefined();
		expect(authorities(target)).toBe(first);
		ca = `${ca}\n`;
		const second = authorities(target);
		expect(second).not.toBe(first);
		expect(authorities(target)).toBe(second);
	});
});
