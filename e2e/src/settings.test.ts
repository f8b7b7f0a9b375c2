import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROUTING, SETTINGS } from '../harness/settings.ts';

const CLUSTER = join(import.meta.dirname, '..', 'cluster');
const { configMapGenerator } = parse(readFileSync(join(CLUSTER, 'kustomization.yaml'), 'utf8')) as {
	configMapGenerator: { name: string; literals?: string[] }[];
};

it.each(Object.entries(SETTINGS))('%s has the same settings in a cluster', (app, settings) => {
	const literals = configMapGenerator.find(({ name }) => name === `${app}-config`)?.literals ?? [];
	// Receivers have addresses of their own there.
	const ofChannels = /^(TARGETS|SLACK|WEBHOOK|EMAIL)_/;
	const want = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
	expect(literals.filter((literal) => !ofChannels.test(literal)).toSorted()).toEqual(want.toSorted());
});

it('messages are routed alike', () => {
	expect(readFileSync(join(CLUSTER, 'routing.yaml'), 'utf8')).toBe(ROUTING);
});
