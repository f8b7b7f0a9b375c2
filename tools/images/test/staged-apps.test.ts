// What is put into the images of the real apps: their bundles, notices and bills of materials.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { NODE_FLAGS } from '@kubernaut/bundle/node-flags';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPS, type StagedApp, stageApp } from '../src/stage-app.ts';

type Component = {
	name: string;
	group?: string;
	version: string;
	purl?: string;
	licenses: object[];
	'bom-ref': string;
};
type Bom = { components: Component[]; dependencies: { ref: string; dependsOn: string[] }[]; serialNumber: string };
type Manifest = { dependencies?: Record<string, string>; devDependencies?: Record<string, string> };

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const context = mkdtempSync(join(tmpdir(), 'kubernaut-staged-'));
afterAll(() => rmSync(context, { recursive: true }));

/** The official schema of CycloneDX 1.6. */
function bomValidator() {
	const entry = createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json');
	const schema = (name: string) =>
		JSON.parse(readFileSync(join(dirname(entry), 'res', 'schema', `${name}.SNAPSHOT.schema.json`), 'utf8')) as object;
	const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
	for (const name of ['spdx', 'jsf-0.82'])
		ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
	return ajv.compile(schema('bom-1.6'));
}

describe.each(APPS)('%s', (app) => {
	const directory = join(context, app);
	const appDirectory = join(ROOT, 'apps', app);
	let staged: StagedApp;
	let bom: Bom;
	beforeAll(async () => {
		staged = await stageApp(app, appDirectory, context);
		bom = JSON.parse(readFileSync(join(directory, 'sbom.cdx.json'), 'utf8')) as Bom;
	});

	const fullName = ({ group, name }: Component) => (group === undefined ? name : `${group}/${name}`);

	it('is three files, and the bundle runs from there', () => {
		expect(readdirSync(directory)).toEqual(['THIRD-PARTY-NOTICES.txt', 'main.mjs', 'sbom.cdx.json']);
		expect(staged.bytes).toBeLessThan(15_000_000);
		const help = spawnSync(process.execPath, [join(directory, 'main.mjs'), '--help'], { encoding: 'utf8' });
		expect(help).toMatchObject({ status: 0, stdout: expect.stringContaining('POD_NAME') });
	});

	it('has a bill of materials that the schema of CycloneDX takes', () => {
		const validate = bomValidator();
		validate(bom);
		expect(validate.errors ?? []).toEqual([]);
	});

	it('its bill of materials names each of its run-time dependencies that is in the bundle, and no development one', () => {
		const names = bom.components.map(fullName);
		const manifest = JSON.parse(readFileSync(join(appDirectory, 'package.json'), 'utf8')) as Manifest;
		expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies ?? {})));
		const development = [join(ROOT, 'package.json'), join(appDirectory, 'package.json')].flatMap((file) =>
			Object.keys((JSON.parse(readFileSync(file, 'utf8')) as Manifest).devDependencies ?? {}),
		);
		expect(names.filter((name) => development.includes(name))).toEqual([]);
	});

	it('its bill of materials and its notices name the same packages, each with a licence', () => {
		const notices = readFileSync(join(directory, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
		const third = bom.components.filter(({ purl }) => purl !== undefined);
		expect(third.length).toBeGreaterThan(20);
		for (const component of third)
			expect(notices).toContain(`\n${fullName(component)}@${component.version}\nLicence: `);
		expect(notices.match(/^Licence: /gm)).toHaveLength(third.length);
	});

	it('its bill of materials leads from the app to every package', () => {
		const edges = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
		const seen = new Set<string>();
		const visit = (ref: string) => {
			if (seen.has(ref)) return;
			seen.add(ref);
			for (const next of edges.get(ref) ?? []) visit(next);
		};
		visit(`@kubernaut/${app}@0.1.0`);
		expect(bom.components.map((component) => component['bom-ref']).filter((ref) => !seen.has(ref))).toEqual([]);
	});
});

it('the Dockerfile runs Node with the flags that tests run it with', () => {
	const dockerfile = readFileSync(join(ROOT, 'deploy', 'docker', 'Dockerfile'), 'utf8');
	const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '[]') as string[];
	expect(entry).toEqual(['/usr/local/bin/node', ...NODE_FLAGS, '/app/main.mjs']);
});

it('the Dockerfile installs nothing', () => {
	const dockerfile = readFileSync(join(ROOT, 'deploy', 'docker', 'Dockerfile'), 'utf8');
	expect(dockerfile).not.toMatch(/^RUN\b/m);
});

it('what is staged again is the same, byte for byte', async () => {
	const directory = join(context, 'gateway');
	const files = () => readdirSync(directory).map((file) => readFileSync(join(directory, file)));
	const before = files();
	await stageApp('gateway', join(ROOT, 'apps', 'gateway'), context);
	expect(files()).toEqual(before);
});
