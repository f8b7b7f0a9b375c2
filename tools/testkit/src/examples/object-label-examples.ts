// The labels of requests and executions, by example. Each app that writes them tests its own function with this table:
// a selector must find the objects of both.

export type ObjectLabelExample = {
	readonly why: string;
	readonly signalName: string;
	readonly target: { readonly kind: string; readonly name: string; readonly namespace?: string };
	readonly want: Readonly<Record<string, string>>;
};

export const OBJECT_LABEL_EXAMPLES: readonly ObjectLabelExample[] = [
	{
		why: 'values that fit stay as they are',
		signalName: 'KubePodCrashLooping',
		target: { kind: 'Deployment', name: 'cart', namespace: 'shop' },
		want: {
			'kubernaut.ai/target-kind': 'Deployment',
			'kubernaut.ai/target-namespace': 'shop',
			'kubernaut.ai/signal': 'KubePodCrashLooping',
		},
	},
	{
		why: 'a cluster-scoped target has no namespace',
		signalName: 'Node_Down-1.x',
		target: { kind: 'Node', name: 'worker-1' },
		want: { 'kubernaut.ai/target-kind': 'Node', 'kubernaut.ai/signal': 'Node_Down-1.x' },
	},
	{
		why: 'a name with a space is hashed',
		signalName: 'Disk full',
		target: { kind: 'Node', name: 'worker-1' },
		want: {
			'kubernaut.ai/target-kind': 'Node',
			'kubernaut.ai/signal': 'sha256-dc301aee29819d4795e137e85575b03e',
		},
	},
	{
		why: 'a name that ends with a hyphen is hashed',
		signalName: 'Disk-',
		target: { kind: 'Node', name: 'worker-1' },
		want: {
			'kubernaut.ai/target-kind': 'Node',
			'kubernaut.ai/signal': 'sha256-2c66f2bcfeb7b2557f3a58e073dbb3c4',
		},
	},
	{
		why: 'a name of 63 characters fits',
		signalName: 'x'.repeat(63),
		target: { kind: 'Node', name: 'worker-1' },
		want: { 'kubernaut.ai/target-kind': 'Node', 'kubernaut.ai/signal': 'x'.repeat(63) },
	},
	{
		why: 'a name of 64 characters is hashed',
		signalName: 'x'.repeat(64),
		target: { kind: 'Node', name: 'worker-1' },
		want: { 'kubernaut.ai/target-kind': 'Node', 'kubernaut.ai/signal': 'sha256-7ce100971f64e7001e8fe5a51973ecdf' },
	},
];
