// With the rights of its manifests, and less each one of them. Tekton is played.
import { atTheEnd, describeRights } from '@kubernaut/testkit';
import { World } from './harness/world.ts';

const TARGET = 'shop/Deployment/cart';

describeRights('workflow-executor', {
	// A run from its creation to the release of its target; and one whose execution is deleted.
	drive: async ({ api, namespace, kubeconfig }) => {
		const world = new World(api, namespace, kubeconfig, undefined, {}, true);
		atTheEnd(() => world.stop());
		const execution = await world.createExecution(TARGET);
		await world.until(execution, 'Completed');
		await world.untilFree(TARGET);
		await world.deleteExecution(execution);
		await world.untilGone(execution);
	},
});
