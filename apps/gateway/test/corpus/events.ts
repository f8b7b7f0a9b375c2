// Warning Events as the API server and forwarders send them, and the object that each is about. An Event names its object;
// what differs is who sends it in which shape.

export type CorpusEvent = { readonly body: Readonly<Record<string, unknown>>; readonly want: string };

type Reference = Readonly<Record<string, unknown>>;

/** As `kubectl get events -o json` shows it. */
function core(reason: string, involvedObject: Reference, want: string, more: Reference = {}): CorpusEvent {
	const namespace = involvedObject['namespace'] ?? 'default';
	return {
		body: {
			apiVersion: 'v1',
			kind: 'Event',
			metadata: { name: `${String(involvedObject['name'])}.17f`, namespace },
			type: 'Warning',
			reason,
			message: `${reason} happened`,
			involvedObject,
			source: { component: 'kubelet', host: 'worker-3' },
			firstTimestamp: '2026-11-16T18:00:00Z',
			lastTimestamp: '2026-11-16T19:00:00Z',
			...more,
		},
		want,
	};
}
/** As a Go program writes the struct: without kind and apiVersion. */
function forwarded(reason: string, involvedObject: Reference, want: string, more: Reference = {}): CorpusEvent {
	const { apiVersion: _, kind: __, ...body } = core(reason, involvedObject, want, more).body;
	return { body, want };
}
/** events.k8s.io/v1. */
function newer(reason: string, regarding: Reference, want: string, more: Reference = {}): CorpusEvent {
	return {
		body: {
			apiVersion: 'events.k8s.io/v1',
			kind: 'Event',
			metadata: { name: `${String(regarding['name'])}.17f`, namespace: regarding['namespace'] ?? 'default' },
			type: 'Warning',
			reason,
			note: `${reason} happened`,
			regarding,
			reportingController: 'kubelet',
			eventTime: '2026-11-16T18:00:00.000000Z',
			...more,
		},
		want,
	};
}

const CART = 'cart-7d4b9c8f6-x2x8p';
const cart = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: CART, uid: 'u' };
const inShop = (kind: string, name: string, apiVersion?: string) => ({
	kind,
	name,
	namespace: 'shop',
	...(apiVersion ? { apiVersion } : {}),
});
const CART_POD = `shop/Pod/${CART}`;
const owned = {
	ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cart-7d4b9c8f6', controller: true }],
};

export const EVENTS: readonly CorpusEvent[] = [
	core('BackOff', { ...cart, fieldPath: 'spec.containers{cart}' }, CART_POD),
	core('Unhealthy', { ...cart, fieldPath: 'spec.containers{cart}' }, CART_POD),
	core('Failed', cart, CART_POD),
	core('FailedMount', cart, CART_POD),
	core('FailedScheduling', cart, CART_POD, { source: { component: 'default-scheduler' } }),
	core('FailedCreatePodSandBox', cart, CART_POD),
	core('Evicted', cart, CART_POD),
	core('NetworkNotReady', cart, CART_POD),
	core('FailedPreStopHook', cart, CART_POD),
	core('FailedAttachVolume', { kind: 'Pod', namespace: 'shop', name: 'redis-0' }, 'shop/Pod/redis-0', {
		source: { component: 'attachdetach-controller' },
	}),
	core('BackoffLimitExceeded', inShop('Job', 'migrate', 'batch/v1'), 'shop/Job/migrate'),
	core('FailedNeedsStart', inShop('CronJob', 'report', 'batch/v1'), 'shop/CronJob/report'),
	core('FailedCreate', inShop('ReplicaSet', 'cart-7d4b9c8f6', 'apps/v1'), 'shop/ReplicaSet/cart-7d4b9c8f6'),
	core('FailedCreate', inShop('StatefulSet', 'redis', 'apps/v1'), 'shop/StatefulSet/redis'),
	core('FailedDaemonPod', inShop('DaemonSet', 'agent', 'apps/v1'), 'shop/DaemonSet/agent'),
	core('ReplicaSetCreateError', inShop('Deployment', 'cart', 'apps/v1'), 'shop/Deployment/cart'),
	core(
		'FailedGetResourceMetric',
		inShop('HorizontalPodAutoscaler', 'cart', 'autoscaling/v2'),
		'shop/HorizontalPodAutoscaler/cart',
	),
	core('NoPods', inShop('PodDisruptionBudget', 'cart', 'policy/v1'), 'shop/PodDisruptionBudget/cart'),
	core('ProvisioningFailed', inShop('PersistentVolumeClaim', 'data', 'v1'), 'shop/PersistentVolumeClaim/data'),
	core('VolumeFailedDelete', { kind: 'PersistentVolume', name: 'pv-7', apiVersion: 'v1' }, 'PersistentVolume/pv-7'),
	core('SyncLoadBalancerFailed', inShop('Service', 'web', 'v1'), 'shop/Service/web'),
	core('NodeNotReady', { kind: 'Node', name: 'worker-3', uid: 'worker-3' }, 'Node/worker-3', {
		source: { component: 'node-controller' },
	}),
	core('SystemOOM', { kind: 'Node', name: 'worker-3' }, 'Node/worker-3'),
	core('Rebooted', { kind: 'Node', name: 'worker-3', namespace: 'default' }, 'Node/worker-3'),
	core('InvalidDiskCapacity', { kind: 'node', name: 'worker-3' }, 'Node/worker-3'),
	core('FailedBinding', { kind: 'PersistentVolumeClaim', name: 'data' }, 'shop/PersistentVolumeClaim/data', {
		metadata: { namespace: 'shop' },
	}),
	core('Failed', inShop('Certificate', 'web-tls', 'cert-manager.io/v1'), 'shop/Certificate/web-tls'),
	core('RolloutAborted', inShop('Rollout', 'checkout', 'argoproj.io/v1alpha1'), 'shop/Rollout/checkout'),
	core('KEDAScalerFailed', inShop('ScaledObject', 'orders', 'keda.sh/v1alpha1'), 'shop/ScaledObject/orders'),
	core('NamespaceDeletionFailed', { kind: 'Namespace', name: 'old-shop', apiVersion: 'v1' }, 'Namespace/old-shop'),
	newer('FailedScheduling', cart, CART_POD, { reportingController: 'default-scheduler', action: 'Scheduling' }),
	newer('BackOff', { ...cart, fieldPath: 'spec.containers{cart}' }, CART_POD, {
		series: { count: 4, lastObservedTime: '2026-11-16T19:00:00.000000Z' },
	}),
	newer('FreeDiskSpaceFailed', { kind: 'Node', name: 'worker-3' }, 'Node/worker-3'),
	newer('FailedCreate', inShop('ReplicaSet', 'cart-7d4b9c8f6', 'apps/v1'), 'shop/ReplicaSet/cart-7d4b9c8f6'),
	// kubernetes-event-exporter: no kind, no apiVersion, labels and owners of the object
	forwarded('BackOff', { ...cart, labels: { app: 'cart' }, ...owned }, CART_POD),
	forwarded('OOMKilling', { kind: 'Node', name: 'worker-3', labels: { zone: 'a' } }, 'Node/worker-3'),
	forwarded('Unhealthy', { ...cart, ...owned }, CART_POD, {
		clusterName: '',
		count: 12,
		eventTime: null,
		series: null,
	}),
	forwarded(
		'FailedMount',
		{
			kind: 'Pod',
			namespace: 'shop',
			name: 'redis-0',
			ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'redis', controller: true }],
		},
		'shop/Pod/redis-0',
	),
	{
		body: {
			metadata: { namespace: 'shop' },
			type: 'Warning',
			reason: 'BackOff',
			regarding: inShop('Pod', CART),
			note: 'n',
		},
		want: CART_POD,
	},
	{ body: { type: 'Warning', reason: 'BackOff', message: 'm', involvedObject: inShop('Pod', CART) }, want: CART_POD },
	// a watch, and eventrouter, wrap it
	{ body: { type: 'MODIFIED', object: core('BackOff', cart, CART_POD).body }, want: CART_POD },
	{
		body: {
			verb: 'UPDATED',
			event: core('BackOff', cart, CART_POD).body,
			old_event: core('BackOff', cart, CART_POD).body,
		},
		want: CART_POD,
	},
];
