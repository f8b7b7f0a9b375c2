// NotificationRequests on the API server. Every write carries uid and resourceVersion: of two, the second is rejected.
import type { NotificationRequest, NotificationRequestStatus } from '../generated/notification-request.ts';
import { answered } from '../kube/answered.ts';
import type { KubeClient } from '../kube/kube.ts';
import { type Notification, toNotification } from './notification.ts';

type Version = Pick<Notification, 'name' | 'uid' | 'resourceVersion'>;
export type NotificationStore = {
	get(name: string): Promise<Notification | undefined>;
	patchStatus(version: Version, status: NotificationRequestStatus): Promise<Notification | 'changed' | 'gone'>;
	remove(version: Version): Promise<'removed' | 'changed' | 'gone'>;
};

const PLURAL = 'notificationrequests';
const MERGE_PATCH = 'application/merge-patch+json';
const CHANGED = { KUBE_CONFLICT: 'changed', KUBE_NOT_FOUND: 'gone' } as const;

export function notificationsPath(namespace: string): string {
	return `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/${PLURAL}`;
}

export function createNotificationStore(kube: Pick<KubeClient, 'call'>, namespace: string): NotificationStore {
	const path = notificationsPath(namespace);
	const about = { resource: PLURAL, namespace } as const;
	return {
		async get(name) {
			const call = kube.call<NotificationRequest>({ ...about, verb: 'get', path: `${path}/${name}` });
			const found = await answered(call, { KUBE_NOT_FOUND: undefined });
			return found === undefined ? undefined : toNotification(found);
		},
		async patchStatus({ name, uid, resourceVersion }, status) {
			const call = kube.call<NotificationRequest>({
				verb: 'patch',
				path: `${path}/${name}/status`,
				resource: `${PLURAL}/status`,
				namespace,
				body: { metadata: { uid, resourceVersion }, status },
				contentType: MERGE_PATCH,
			});
			const answer = await answered(call, CHANGED);
			return typeof answer === 'string' ? answer : toNotification(answer);
		},
		remove: ({ name, uid, resourceVersion }) =>
			answered(
				kube
					.call({
						...about,
						verb: 'delete',
						path: `${path}/${name}`,
						body: { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background' },
					})
					.then(() => 'removed' as const),
				CHANGED,
			),
	};
}
