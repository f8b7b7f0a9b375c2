// Stand-ins for the kinds of tekton.dev/v1: names only, any content. The API server then does for them what it does for any
// object (names, uids, finalizers, deletion), and a test plays what Tekton would write into them.
import type { KubeObject } from '@kubernaut/control-plane';

export const PLAYED_TEKTON_KINDS: readonly KubeObject[] = [kind('PipelineRun'), kind('TaskRun')];

function kind(name: string): KubeObject {
	const singular = name.toLowerCase();
	const group = 'tekton.dev';
	const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
	return {
		apiVersion: 'apiextensions.k8s.io/v1',
		kind: 'CustomResourceDefinition',
		metadata: { name: `${singular}s.${group}`, labels: { 'app.kubernetes.io/part-of': 'kubernaut-tests' } },
		spec: {
			group,
			scope: 'Namespaced',
			names: { kind: name, listKind: `${name}List`, plural: `${singular}s`, singular },
			versions: [
				{
					name: 'v1',
					served: true,
					storage: true,
					subresources: { status: {} },
					schema: { openAPIV3Schema: { ...anything, properties: { spec: anything, status: anything } } },
				},
			],
		},
	};
}
