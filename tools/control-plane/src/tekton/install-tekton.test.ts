import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../server/kube-api.ts';
import { outsideOfTheCluster } from './install-tekton.ts';

const PORT = 12_345;
const object = (kind: string, name: string, more: KubeObject = {}): KubeObject => ({
	kind,
	metadata: { name },
	...more,
});
const service = { name: 'tekton-pipelines-webhook', namespace: 'tekton-pipelines' };

describe('outside of a cluster', () => {
	it.each([
		object('Deployment', 'tekton-pipelines-controller'),
		object('HorizontalPodAutoscaler', 'tekton-pipelines-webhook'),
		object('Service', 'tekton-pipelines-controller', { spec: { ports: [{ port: 9090 }] } }),
	])('$kind $metadata.name has no place', (original) => {
		expect(outsideOfTheCluster(original, PORT)).toBeUndefined();
	});

	it.each([
		{
			what: 'the webhook is on this machine',
			original: object('Service', 'tekton-pipelines-webhook', { spec: { ports: [{ port: 443 }] } }),
			want: { spec: { type: 'ExternalName', externalName: 'localhost' } },
		},
		{
			what: 'admission is asked at its port',
			original: object('ValidatingWebhookConfiguration', 'w', { webhooks: [{ clientConfig: { service } }] }),
			want: { webhooks: [{ clientConfig: { service: { ...service, port: PORT } } }] },
		},
		{
			what: 'conversion is asked at its port',
			original: object('CustomResourceDefinition', 'tasks.tekton.dev', {
				spec: { conversion: { webhook: { clientConfig: { service } } } },
			}),
			want: { spec: { conversion: { webhook: { clientConfig: { service: { ...service, port: PORT } } } } } },
		},
		{
			what: 'no metrics are served',
			original: object('ConfigMap', 'config-observability', { data: { 'metrics-protocol': 'prometheus' } }),
			want: { data: { 'metrics-protocol': 'none' } },
		},
	])('$what', ({ original, want }) => {
		const before = structuredClone(original);
		expect(outsideOfTheCluster(original, PORT)).toEqual({ ...original, ...want });
		expect(original).toEqual(before);
	});

	it.each([
		object('CustomResourceDefinition', 'customruns.tekton.dev', { spec: {} }),
		object('ConfigMap', 'feature-flags', { data: { a: 'b' } }),
		object('ClusterRole', 'tekton-pipelines-controller-cluster-access'),
	])('$kind $metadata.name stays as it is', (original) => {
		expect(outsideOfTheCluster(original, PORT)).toEqual(original);
	});
});
