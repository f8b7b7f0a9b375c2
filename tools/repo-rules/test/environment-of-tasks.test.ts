// turbo hides from the tasks whatever turbo.json does not name.
import { expect, it } from 'vitest';
import { ROOT, readText } from '../src/tree.ts';

const { globalPassThroughEnv } = JSON.parse(readText(ROOT, 'turbo.json')) as { globalPassThroughEnv: string[] };

it('no task sees the user’s KUBECONFIG: it may be somebody’s production', () => {
	expect(globalPassThroughEnv.filter((name) => /^(?:KUBECONFIG$|KUBE\*|\*$)/.test(name))).toEqual([]);
});

it('every task sees what names a control plane, a cache or a proxy', () => {
	expect(globalPassThroughEnv).toEqual(
		expect.arrayContaining(['KUBERNAUT_*', 'KUBEBUILDER_ASSETS', 'DOCKER_*', 'GO*', 'XDG_*', '*_PROXY', '*_proxy']),
	);
});
