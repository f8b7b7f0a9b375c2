// With the rights of its manifests, and less each one of them.
import { describeRights, type RightsStage } from '@kubernaut/testkit';
import { World } from './harness/world.ts';

const worldOf = ({ api, namespace, kubeconfig }: RightsStage) => new World(api, namespace, kubeconfig, {});

describeRights('orchestrator', {
	prepare: async (stage) => {
		const world = worldOf(stage);
		await world.createMarkerWorkflow(); // mode Approval
		await world.createWorkflow('restart');
	},
	// An execution; a question that is answered; a request that no workflow matches, with its notification.
	drive: async (stage) => {
		const world = worldOf(stage);
		const request = await world.createRequest();
		const asking = await world.createRequest({ target: 'shop/Pod/asking', signalName: 'Marker' });
		await world.createRequest({ target: 'shop/Pod/unknown', signalName: 'MatchedByNone' });
		await world.untilExecuting(request);
		await world.notified(asking, 1);
		await world.decide(asking, 'Approved');
		await world.untilExecuting(asking);
	},
});
