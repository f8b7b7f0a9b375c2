import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BundledPackage } from './bundled-packages.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), 'notices-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function bundled(license: string, own = false): BundledPackage {
	return { name: 'teapot', version: '1.2.3', license, directory, own, dependsOn: [] };
}

it('has the licence and every legal text of a package', () => {
	writeFileSync(join(directory, 'LICENSE.md'), 'Do as you like.');
	writeFileSync(join(directory, 'NOTICE'), 'Made of clay.');
	const notices = thirdPartyNotices('kitchen', [bundled('MIT')]);
	expect(notices).toContain('teapot@1.2.3\nLicence: MIT');
	expect(notices).toContain('Do as you like.');
	expect(notices).toContain('Made of clay.');
});

it('says so when a package brings no text', () => {
	expect(thirdPartyNotices('kitchen', [bundled('ISC')])).toContain('no licence file');
});

it.each(['MIT', '(MIT OR GPL-3.0)', 'Apache-2.0'])('takes %s', (license) => {
	expect(() => thirdPartyNotices('kitchen', [bundled(license)])).not.toThrow();
});

it.each(['GPL-3.0', 'NOASSERTION', 'MIT AND GPL-3.0'])('refuses %s, and names the package', (license) => {
	expect(() => thirdPartyNotices('kitchen', [bundled(license)])).toThrow(`teapot@1.2.3 (${license})`);
});

it('leaves out what is ours', () => {
	expect(thirdPartyNotices('kitchen', [bundled('UNLICENSED', true)])).not.toContain('teapot');
});
