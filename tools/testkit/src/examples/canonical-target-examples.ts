// The canonical name of a target, by example. Every app that computes one tests its own function with this table: the
// locks hash the name, so two apps that spell it differently would not exclude each other.

export type CanonicalTargetExample = {
	readonly target: {
		readonly kind: string;
		readonly name: string;
		readonly namespace?: string;
		readonly apiVersion?: string;
	};
	readonly want: string;
};

export const CANONICAL_TARGET_EXAMPLES: readonly CanonicalTargetExample[] = [
	{ target: { kind: 'Deployment', name: 'cart', namespace: 'shop' }, want: 'shop/Deployment/cart' },
	// The version is not part of the name: one object has several.
	{
		target: { kind: 'Deployment', name: 'cart', namespace: 'shop', apiVersion: 'apps/v1' },
		want: 'shop/Deployment/cart',
	},
	{ target: { kind: 'Pod', name: 'cart-7d4b9c-x2x8p', namespace: 'shop' }, want: 'shop/Pod/cart-7d4b9c-x2x8p' },
	{ target: { kind: 'StatefulSet', name: 'db.primary', namespace: 'shop' }, want: 'shop/StatefulSet/db.primary' },
	{ target: { kind: 'Node', name: 'worker-1.example.com' }, want: 'Node/worker-1.example.com' },
	{ target: { kind: 'Namespace', name: 'shop' }, want: 'Namespace/shop' },
	{ target: { kind: 'ClusterRole', name: 'system:node' }, want: 'ClusterRole/system:node' },
	{
		target: { kind: 'Alert', name: 'Disk-full-0123456789abcdef', namespace: 'shop' },
		want: 'shop/Alert/Disk-full-0123456789abcdef',
	},
	{ target: { kind: 'Alert', name: 'Watchdog-0123456789abcdef' }, want: 'Alert/Watchdog-0123456789abcdef' },
	// A namespace and a kind of the same letters do not meet: kinds begin with a capital.
	{ target: { kind: 'Kafka', name: 'kafka', namespace: 'kafka' }, want: 'kafka/Kafka/kafka' },
];
