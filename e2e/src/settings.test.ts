import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { PORTS, ROUTING, SETTINGS } from '../harness/settings.ts';

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

it('what the suite reads of each pod through the API server is open, where policies are enforced', () => {
	const policies = parseAllDocuments(readFileSync(join(CLUSTER, 'network-policy.yaml'), 'utf8')).map((one) =>
		one.toJS(),
	);
	const { spec } = policies.find(({ metadata }) => metadata.name === 'read-by-the-suite');
	expect(spec.podSelector).toEqual({ matchLabels: { 'app.kubernetes.io/part-of': 'kubernaut' } });
	const pod = parse(readFileSync(join(CLUSTER, '../../deploy/apps/every-app/pod.yaml'), 'utf8'));
	const named = new Map<string, number>(
		pod.spec.template.spec.containers[0].ports.map((port: { name: string; containerPort: number }) => [
			port.name,
			port.containerPort,
		]),
	);
	const open = spec.ingress[0].ports.map(({ port }: { port: string }) => named.get(port));
	expect(open).toEqual(Object.values(PORTS));
});
