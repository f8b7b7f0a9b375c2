// The bill of materials of an image: CycloneDX 1.6, as JSON. It lists what is in the bundle, each package with its version
// and licence, and which uses which. Not in it: Node and the files of the base image, whose own bill is its maker's.
// The same bundle gives the same bytes.
import { createHash } from 'node:crypto';
import { type BundledPackage, packageKey } from './bundled-packages.ts';

export type SbomSubject = {
	/** The package of the app. */
	readonly name: string;
	readonly version: string;
	/** SHA-256 of the bundle, in hexadecimal digits. */
	readonly digest: string;
};

export function sbom(subject: SbomSubject, packages: readonly BundledPackage[]): object {
	const app = packages.find(({ name }) => name === subject.name);
	if (app === undefined) throw new Error(`No file of ${subject.name} is in its own bundle.`);
	return {
		$schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
		bomFormat: 'CycloneDX',
		specVersion: '1.6',
		serialNumber: `urn:uuid:${uuidOf(subject.digest)}`,
		version: 1,
		metadata: {
			component: {
				type: 'application',
				'bom-ref': packageKey(app),
				name: subject.name,
				version: subject.version,
				hashes: [{ alg: 'SHA-256', content: subject.digest }],
			},
		},
		components: packages.filter((one) => one !== app).map(component),
		dependencies: packages.map((one) => ({ ref: packageKey(one), dependsOn: one.dependsOn })),
	};
}

function component(bundled: BundledPackage): object {
	const { name, version, license, own } = bundled;
	const [scope, base] = name.startsWith('@') ? name.split('/') : [undefined, name];
	return {
		type: 'library',
		'bom-ref': packageKey(bundled),
		...(scope === undefined ? {} : { group: scope }),
		name: base,
		version,
		licenses: own
			? [{ license: { name: license } }]
			: [isExpression(license) ? { expression: license } : { license: { id: license } }],
		// Ours are in no registry.
		...(own ? {} : { purl: `pkg:npm/${scope === undefined ? '' : `${encodeURIComponent(scope)}/`}${base}@${version}` }),
	};
}

function isExpression(license: string): boolean {
	return /\s(?:OR|AND|WITH)\s/.test(license);
}

/** A UUID of version 8: made of what we give it. */
function uuidOf(digest: string): string {
	const hex = createHash('sha256').update(`sbom ${digest}`).digest('hex');
	return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
		'-',
	);
}
