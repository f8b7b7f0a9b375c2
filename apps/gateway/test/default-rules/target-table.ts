// The table of docs/targets.md: alert → what its labels name, before anything is looked up.
import { parseAlert } from '../../src/signal/alertmanager-webhook.ts';
import { DEFAULT_SIGNAL_RULES } from '../../src/signal/signal-rules.ts';
import { describeTarget } from '../fixtures/describe-target.ts';

export type FiredAlert = { readonly labels: Readonly<Record<string, string>> };

const RECEPTION = {
	receivedTime: new Date(0),
	resolvedAlerts: 'mark',
	storePayload: false,
	rules: DEFAULT_SIGNAL_RULES,
} as const;

export function targetTable(alerts: readonly FiredAlert[]): string {
	const byName = Object.groupBy(alerts, ({ labels }) => labels['alertname'] ?? '');
	const rows = Object.entries(byName)
		.map(([name, all = []]) => ({
			name,
			named: [...new Set(all.flatMap(({ labels }) => describeNamed(labels) ?? []))],
		}))
		.filter(({ named }) => named.length > 0)
		.toSorted((a, b) => (a.name < b.name ? -1 : 1))
		.map(({ name, named }) => `| ${name} | ${named.toSorted().join(', ')} |`);
	return ['| alert | target |', '| --- | --- |', ...rows].join('\n');
}

/** Undefined for an alert that is ignored. */
function describeNamed(labels: Readonly<Record<string, string>>): string | undefined {
	const parsed = parseAlert({ status: 'firing', labels }, 'kubernaut', RECEPTION);
	if (!('signal' in parsed)) return undefined;
	const { target, lookUp } = parsed.signal;
	if (lookUp.find === 'node') return `the Node that runs \`${lookUp.pod?.namespace}/${lookUp.pod?.name}\``;
	if (target.kind === 'Alert') return 'the alert itself';
	return lookUp.find === 'owner' ? `the workload of \`${describeTarget(target)}\`` : `\`${describeTarget(target)}\``;
}
