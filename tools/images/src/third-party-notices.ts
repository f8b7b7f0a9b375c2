// The licences of what is in a bundle, with their texts: what their owners ask for in exchange.
import { type BundledPackage, legalTexts, packageKey } from './bundled-packages.ts';

/** A bundle is passed on as a whole. These ask for their notice and nothing more. */
const PERMITTED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'MIT-0'];

const RULE = '-'.repeat(80);

export function thirdPartyNotices(app: string, packages: readonly BundledPackage[]): string {
	const third = packages.filter(({ own }) => !own);
	refuseOtherLicenses(third);
	const head = `kubernaut ${app} contains software of third parties: ${third.length} packages, listed with their licences.\n`;
	return [head, ...third.map(notice)].join(`\n${RULE}\n`);
}

function notice(bundled: BundledPackage): string {
	const texts = legalTexts(bundled.directory).map(({ text }) => text);
	const none = 'The package has no licence file; its package.json names the licence above.';
	return [`${packageKey(bundled)}\nLicence: ${bundled.license}`, ...(texts.length > 0 ? texts : [none]), ''].join(
		'\n\n',
	);
}

function refuseOtherLicenses(packages: readonly BundledPackage[]): void {
	const others = packages.filter(({ license }) => !alternatives(license).some((one) => PERMITTED.includes(one)));
	if (others.length === 0) return;
	const list = others.map((bundled) => `${packageKey(bundled)} (${bundled.license})`).join(', ');
	throw new Error(`Licences that were not looked at yet: ${list}. Permitted: ${PERMITTED.join(', ')}.`);
}

/** `(MIT OR Apache-2.0)`: one of them is enough. */
function alternatives(license: string): string[] {
	return license.replaceAll(/[()]/g, '').split(/\s+OR\s+/);
}
