import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type InstalledImage, kustomizationFile, newKustomization, withImages } from './install-kustomization.ts';

const pushed = (app: string, digest: string): InstalledImage => ({
	app,
	repository: `registry.example.com/sre/${app}`,
	version: { digest },
});

it('installs the overlay from where it lies, with each image by its digest', () => {
	const kustomization = newKustomization('/srv/kubernaut/install', '/srv/kubernaut/deploy/overlays/production');
	expect(withImages(kustomization, [pushed('gateway', 'sha256:abc')])).toBe(
		`# Written by \`npm run images\`; yours from now on. Later versions change \`images\` only.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - ../deploy/overlays/production
images:
  - name: kubernaut.invalid/gateway
    newName: registry.example.com/sre/gateway
    digest: sha256:abc
`,
	);
});

it('puts a later version into the kustomization of a site, and leaves the rest as it is', () => {
	const ofTheSite = `# ours
resources:
  - ../deploy/overlays/production # three replicas
images:
  - name: busybox
    newTag: "1.37"
  # by hand
  - name: kubernaut.invalid/gateway
    newName: old.example.com/gateway
    digest: sha256:old
configMapGenerator:
  - name: notification-config
    behavior: merge
    literals:
      - SLACK_WEBHOOK_URL_FILE=/etc/kubernaut/channels/slack-webhook-url-of-the-team-that-is-on-call-today-or-tomorrow
`;
	const built: InstalledImage = {
		app: 'notification',
		repository: 'kubernaut.invalid/notification',
		version: { newTag: '2' },
	};
	expect(withImages(ofTheSite, [pushed('gateway', 'sha256:new'), built])).toBe(
		ofTheSite.replace(
			`    newName: old.example.com/gateway
    digest: sha256:old
`,
			`    newName: registry.example.com/sre/gateway
    digest: sha256:new
  - name: kubernaut.invalid/notification
    newName: kubernaut.invalid/notification
    newTag: "2"
`,
		),
	);
});

it('takes a tag in place of a digest, and an empty list for none', () => {
	const tagged: InstalledImage = {
		app: 'gateway',
		repository: 'kubernaut.invalid/gateway',
		version: { newTag: '0.2.0' },
	};
	const before = withImages('images: []\n', [pushed('gateway', 'sha256:abc')]);
	expect(withImages(before, [tagged])).toBe(
		`images:
  - name: kubernaut.invalid/gateway
    newName: kubernaut.invalid/gateway
    newTag: 0.2.0
`,
	);
});

it('names of before, which were not ours to use, are replaced: also of apps that were not built now', () => {
	const ofBefore = `images:
  - name: kubernaut/gateway
    newName: kubernaut/gateway
    newTag: 0.1.0
  - name: kubernaut/orchestrator # ours
    newName: registry.example.com/sre/orchestrator
    digest: sha256:old
`;
	const built: InstalledImage = {
		app: 'gateway',
		repository: 'kubernaut.invalid/gateway',
		version: { newTag: '0.2.0' },
	};
	expect(withImages(ofBefore, [built])).toBe(
		`images:
  - name: kubernaut.invalid/gateway
    newName: kubernaut.invalid/gateway
    newTag: 0.2.0
  - name: kubernaut.invalid/orchestrator # ours
    newName: registry.example.com/sre/orchestrator
    digest: sha256:old
`,
	);
});

it('a name of before beside the one of now is removed', () => {
	const ofNow = `images:
  - name: kubernaut.invalid/gateway
    newName: registry.example.com/sre/gateway
    digest: sha256:abc
`;
	expect(withImages(`${ofNow}  - name: kubernaut/gateway\n    newTag: 0.1.0\n`, [])).toBe(ofNow);
});

it.each(['', '- a list', 'resources: ['])('refuses %j', (text) => {
	expect(() => withImages(text, [])).toThrow('it is no kustomization');
});

it.each(['kustomization.yaml', 'kustomization.yml', 'Kustomization'])('takes %s for what is there', (name) => {
	const directory = mkdtempSync(join(tmpdir(), 'kubernaut-install-'));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	expect(kustomizationFile(directory)).toBe(join(directory, 'kustomization.yaml'));
	writeFileSync(join(directory, name), '');
	expect(kustomizationFile(directory)).toBe(join(directory, name));
});
