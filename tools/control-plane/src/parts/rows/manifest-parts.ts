// What turns manifests into objects.
import type { Part } from '../part.ts';

const KUSTOMIZE = 'v5.8.2';

export const MANIFEST_PARTS = {
	kustomize: {
		module: 'sigs.k8s.io/kustomize/kustomize/v5',
		version: KUSTOMIZE,
		package: 'sigs.k8s.io/kustomize/kustomize/v5',
		directory: 'kustomize',
		ldflags: `-X sigs.k8s.io/kustomize/api/provenance.version=${KUSTOMIZE}`,
		versionArgs: ['version'],
		oldest: '5.0',
		ports: 0,
	},
} satisfies Record<string, Part>;
