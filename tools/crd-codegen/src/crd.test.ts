import { describe, expect, it } from 'vitest';
import { EXAMPLE_YAML } from '../test/example-crd.ts';
import { parseCrd } from './crd.ts';

describe('parseCrd', () => {
	it('takes the storage version', () => {
		expect(parseCrd('teapots.yaml', EXAMPLE_YAML)).toMatchObject({
			file: 'teapots.yaml',
			group: 'example.com',
			version: 'v2',
			kind: 'Teapot',
			plural: 'teapots',
		});
	});

	it('passes over YAML that is no CRD', () => {
		expect(parseCrd('kustomization.yaml', 'kind: Kustomization')).toBeUndefined();
		expect(parseCrd('empty.yaml', '')).toBeUndefined();
	});

	it.each([
		[
			'two CRDs in one file',
			`${EXAMPLE_YAML}\n---\n${EXAMPLE_YAML}`,
			'teapots.yaml: holds 2 CustomResourceDefinitions',
		],
		[
			'no storage version',
			EXAMPLE_YAML.replace('storage: true', 'storage: false'),
			'no version is the storage version',
		],
		['YAML that does not parse', 'kind: [', 'teapots.yaml: '],
	])('refuses %s', (_, text, wantMessage) => {
		expect(() => parseCrd('teapots.yaml', text)).toThrow(wantMessage);
	});
});
