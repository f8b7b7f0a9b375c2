// Kubernetes Events: what `kubectl describe` shows under a request. Told by whoever's write was taken, so once for each
// decision. An Event that cannot be written is counted and forgotten: it describes, nothing depends on it.
import { randomBytes } from 'node:crypto';
import { APP } from '../app.ts';
import type { KubeClient } from '../kube/kube.ts';
import type { Remediation } from '../objects/remediation.ts';

export type EventRecorder = {
	record(about: Remediation, type: 'Normal' | 'Warning', reason: string, message: string): void;
	/** When what was recorded is written or given up. */
	settled(): Promise<void>;
};

const LONGEST_MESSAGE = 1024;

export function createEventRecorder(
	kube: Pick<KubeClient, 'call'>,
	namespace: string,
	podName: string,
	now: () => Date,
	onFailure: (error: unknown) => void,
): EventRecorder {
	const underWay = new Set<Promise<void>>();

	async function write(about: Remediation, type: string, reason: string, message: string): Promise<void> {
		const time = now().toISOString();
		try {
			await kube.call({
				verb: 'create',
				path: `/api/v1/namespaces/${namespace}/events`,
				resource: 'events',
				namespace,
				body: {
					apiVersion: 'v1',
					kind: 'Event',
					metadata: { name: `${about.name}.${randomBytes(8).toString('hex')}`, namespace },
					involvedObject: {
						apiVersion: 'kubernaut.ai/v1alpha1',
						kind: 'RemediationRequest',
						name: about.name,
						namespace,
						uid: about.uid,
						resourceVersion: about.resourceVersion,
					},
					type,
					reason,
					message: message.slice(0, LONGEST_MESSAGE).toWellFormed(),
					source: { component: `kubernaut-${APP.name}` },
					reportingComponent: `kubernaut-${APP.name}`,
					reportingInstance: podName,
					firstTimestamp: time.replace(/\.\d{3}Z$/, 'Z'),
					lastTimestamp: time.replace(/\.\d{3}Z$/, 'Z'),
					eventTime: null,
					count: 1,
				},
			});
		} catch (error) {
			onFailure(error);
		}
	}

	return {
		record(about, type, reason, message) {
			const writing = write(about, type, reason, message).finally(() => underWay.delete(writing));
			underWay.add(writing);
		},
		async settled() {
			await Promise.all(underWay);
		},
	};
}
