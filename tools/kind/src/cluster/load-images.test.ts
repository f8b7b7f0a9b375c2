import { expect, it } from 'vitest';
import { importCommand } from './load-images.ts';

it('what is loaded is for this platform: an engine with a store of containerd names others too, and has none of them', () => {
	const command = importCommand('some-node', 'x64').join(' ');
	expect(command).toContain('ctr --namespace=k8s.io images import --platform=linux/amd64 ');
	expect(command).not.toContain('--all-platforms');
	expect(importCommand('some-node', 'arm64')).toContain('--platform=linux/arm64');
});
