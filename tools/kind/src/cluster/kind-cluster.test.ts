import { describe, expect, it } from 'vitest';
import { replaceImages, withoutInit } from './install-tekton.ts';
import { kindConfig } from './kind-cluster.ts';

describe('the settings of a cluster', () => {
	it('open the ports of the node on the loopback interface only', () => {
		const { nodes } = kindConfig([30080], [40001], true);
		expect(nodes).toEqual([
			{
				role: 'control-plane',
				extraPortMappings: [{ containerPort: 30080, hostPort: 40001, listenAddress: '127.0.0.1' }],
			},
		]);
	});

	it('take components from the node itself with a local image, and leave a released one as it is', () => {
		expect(JSON.stringify(kindConfig([], [], true))).toContain('imageRepository: kind.local');
		expect(Object.keys(kindConfig([], [], false))).toEqual(['kind', 'apiVersion', 'nodes']);
	});
});

it("each image that Tekton's manifests name is replaced, the shell's too", () => {
	const text = [
		'image: ko://github.com/tektoncd/pipeline/cmd/controller',
		'"-nop-image", "ko://github.com/tektoncd/pipeline/cmd/nop",',
		'"-shell-image", "example.org/busybox@sha256:00",',
		'"-shell-image-win", "example.org/powershell@sha256:00"]',
	].join('\n');
	expect(replaceImages(text, (command) => `here/${command}:1`, 'here/sh:1').split('\n')).toEqual([
		'image: here/controller:1',
		'"-nop-image", "here/nop:1",',
		'"-shell-image", "here/sh:1",',
		'"-shell-image-win", "here/sh:1"]',
	]);
});

it('programs of Tekton start without the init of its released images', () => {
	const deployment = (command: readonly string[]) => ({ spec: { template: { spec: { containers: [{ command }] } } } });
	expect(withoutInit(deployment(['/sbin/tini', '--', '/ko-app/x']))).toEqual(deployment(['/ko-app/x']));
	expect(withoutInit(deployment(['/ko-app/x']))).toEqual(deployment(['/ko-app/x']));
});
