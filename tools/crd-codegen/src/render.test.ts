import { describe, expect, it } from 'vitest';
import { EXAMPLE_YAML } from '../test/example-crd.ts';
import { type Crd, parseCrd } from './crd.ts';
import { renderKind } from './render.ts';

const crd = parseCrd('teapots.yaml', EXAMPLE_YAML) as Crd;

function withSpec(change: (properties: Record<string, unknown>) => void): Crd {
	const copy = structuredClone(crd);
	change(copy.schema.properties?.['spec']?.properties ?? {});
	return copy;
}

describe('a generated file', () => {
	it('is this for the example', async () => {
		await expect(await renderKind(crd, 'deploy/crds/teapots.yaml')).toMatchFileSnapshot(
			'../test/example-crd.generated.txt',
		);
	});

	it('is the same every time', async () => {
		const again = parseCrd('teapots.yaml', EXAMPLE_YAML) as Crd;
		expect(await renderKind(again, 'x')).toBe(await renderKind(crd, 'x'));
	});

	it('changes when the YAML changes', async () => {
		const changed = parseCrd('teapots.yaml', EXAMPLE_YAML.replace('[calm, steaming]', '[calm, boiling]')) as Crd;
		await expect(renderKind(changed, 'x')).rejects.toThrow(
			'Teapot: two different parts of the schema would both be called TeapotMood; give one a title',
		);
		const both = parseCrd('teapots.yaml', EXAMPLE_YAML.replaceAll('steaming', 'boiling')) as Crd;
		expect(await renderKind(both, 'x')).not.toBe(await renderKind(crd, 'x'));
	});

	it('refuses two objects of one name', async () => {
		const clash = withSpec((properties) => {
			properties['pours'] = { type: 'array', items: { type: 'object', properties: { other: { type: 'string' } } } };
		});
		await expect(renderKind(clash, 'x')).rejects.toThrow('both be called TeapotPour');
	});
});
