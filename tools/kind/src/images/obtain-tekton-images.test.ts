import { partVersion } from '@kubernaut/control-plane';
import { expect, it } from 'vitest';
import { releasedTektonImage } from './obtain-tekton-images.ts';

it("a released image of Tekton has the name that Tekton's releases give it", () => {
	expect(releasedTektonImage('controller')).toBe(
		`ghcr.io/tektoncd/pipeline/controller-10a3e32792f33651396d02b6855a6e36:${partVersion('tekton-controller')}`,
	);
});
