// Plays Tekton and the garbage collector, with nothing of their own cost: a run that is started has succeeded, and one that is
// deleted in the foreground has no parts to wait for.
import { type KubeApi, MERGE_PATCH } from '@kubernaut/control-plane';
import { type SeenObject, watchChanges } from '../orchestrator/object-watch.ts';
import { runsPath } from './executions.ts';
import type { Executors } from './executors.ts';

type Run = SeenObject & {
	readonly metadata: { readonly deletionTimestamp?: string; readonly finalizers?: readonly string[] };
	readonly spec: { readonly status?: string };
	readonly status?: { readonly conditions?: readonly unknown[] };
};

export async function playEngine(api: KubeApi, { identity, workflows }: Executors): Promise<{ stop(): Promise<void> }> {
	const underWay = new Set<Promise<unknown>>();
	const watch = await watchChanges(identity, runsPath(workflows), ({ type, object }) => {
		if (type === 'DELETED') return;
		const writing = play(object as Run).finally(() => underWay.delete(writing));
		underWay.add(writing);
	});
	/** What changed meanwhile is seen again. */
	async function play({ metadata, spec, status }: Run): Promise<void> {
		const { name, uid, deletionTimestamp, finalizers = [] } = metadata;
		const patch = (tail: string, body: object) =>
			api.send('PATCH', `${runsPath(workflows)}/${name}${tail}`, { body, contentType: MERGE_PATCH });
		if (deletionTimestamp !== undefined) {
			const others = finalizers.filter((finalizer) => finalizer !== 'foregroundDeletion');
			if (others.length < finalizers.length) await patch('', { metadata: { uid, finalizers: others } });
		} else if (spec.status === undefined && status?.conditions === undefined) {
			const completionTime = new Date().toISOString();
			const conditions = [
				{ type: 'Succeeded', status: 'True', reason: 'Succeeded', lastTransitionTime: completionTime },
			];
			await patch('/status', { metadata: { uid }, status: { startTime: completionTime, completionTime, conditions } });
		}
	}
	return {
		async stop() {
			await watch.stop();
			await Promise.all(underWay);
		},
	};
}
