// A real Prometheus with rules over made-up exporters, and a real Alertmanager between it and a gateway.
import { obtainPart, type Rule, type RuleGroup, type RunningPart, startPart } from '@kubernaut/control-plane';
import { type Exporter, serveExporters } from './made-up-exporters.ts';
import type { FiredAlert } from './target-table.ts';

export type Monitoring = {
	/** The alerts that fire now. */
	firing(): Promise<readonly FiredAlert[]>;
	stop(): Promise<void>;
};

export type MonitoringOptions = {
	readonly exporters: readonly Exporter[];
	readonly groups: readonly RuleGroup[];
	/** Where Alertmanager sends, and as whom. */
	readonly webhookUrl: string;
	readonly token: string;
};

export async function startMonitoring({
	exporters,
	groups,
	webhookUrl,
	token,
}: MonitoringOptions): Promise<Monitoring> {
	const served = await serveExporters(exporters);
	const parts: RunningPart[] = [];
	const stop = async () => {
		for (const part of parts.toReversed()) await part.stop();
		await served.close();
	};
	try {
		const authorization = { type: 'Bearer', credentials: token };
		const route = {
			receiver: 'kubernaut',
			group_by: ['alertname'],
			group_wait: '1s',
			group_interval: '2s',
			repeat_interval: '1h',
		};
		const receiver = {
			name: 'kubernaut',
			webhook_configs: [{ url: webhookUrl, send_resolved: true, http_config: { authorization } }],
		};
		// JSON is YAML too.
		const alertmanager = await startPart('alertmanager', {
			binary: await obtainPart('alertmanager'),
			files: { 'alertmanager.yaml': JSON.stringify({ route, receivers: [receiver] }) },
		});
		parts.push(alertmanager);
		const prometheus = await startPart('prometheus', {
			binary: await obtainPart('prometheus'),
			files: {
				'rules.yaml': JSON.stringify({ groups: groups.map(atOnce) }),
				'prometheus.yaml': JSON.stringify({
					global: { scrape_interval: '1s', evaluation_interval: '2s' },
					rule_files: ['rules.yaml'],
					scrape_configs: served.scrapeConfigs,
					alerting: { alertmanagers: [{ static_configs: [{ targets: [new URL(alertmanager.url).host] }] }] },
				}),
			},
			extraArgs: ['--rules.alert.resend-delay=2s'],
		});
		parts.push(prometheus);
		return { firing: () => firingOn(prometheus.url), stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Expressions and labels as they are; only the waits are left out: an alert fires when its expression first holds. */
function atOnce({ name, rules }: RuleGroup): object {
	return {
		name,
		interval: '2s',
		rules: rules.map((rule) => {
			const { for: _, ...rest } = rule as Rule & { keep_firing_for?: string };
			return rest;
		}),
	};
}

async function firingOn(prometheusUrl: string): Promise<readonly FiredAlert[]> {
	const answer = await fetch(`${prometheusUrl}/api/v1/alerts`);
	const { data } = (await answer.json()) as { data: { alerts: readonly (FiredAlert & { readonly state: string })[] } };
	return data.alerts.filter(({ state }) => state === 'firing');
}
