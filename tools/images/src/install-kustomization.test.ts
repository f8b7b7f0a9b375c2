import { expect, it } from 'vitest';
import { installKustomization } from './install-kustomization.ts';

it('installs the overlay from where it lies, with each image by its digest', () => {
	const images = [{ app: 'gateway', repository: 'registry.example.com/sre/gateway', digest: 'sha256:abc' }];
	expect(installKustomization('/srv/kubernaut/install', '/srv/kubernaut/deploy/overlays/production', images)).toBe(
		`# Written by \`npm run images -- --push\`; yours from now on.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - ../deploy/overlays/production
images:
  - name: kubernaut/gateway
    newName: registry.example.com/sre/gateway
    digest: sha256:abc
`,
	);
});
