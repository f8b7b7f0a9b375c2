// A real Prometheus that scrapes every replica, with the recording rules that we ship. In a cluster it reads the pods through
// the API server.
import { writeFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { join } from 'node:path';
import { startPart } from '@kubernaut/control-plane';
import { APPS, atTheEnd, readManifests, scratchDirectory } from '@kubernaut/testkit';
import { KubeConfig } from '@kubernetes/client-node';
import { expect, inject } from 'vitest';
import { eventually } from '../eventually.ts';
import type { Platform } from '../platform.ts';

export type Prometheus = {
	/** The value of one series; undefined while there is none. */
	query(expression: string): Promise<number | undefined>;
};

/** Ends when it has read every replica. */
export async function startPrometheus(platform: Platform): Promise<Prometheus> {
	const directory = await scratchDirectory();
	const rules = readManifests('deploy/components/monitoring/rules.yaml').find(({ kind }) => kind === 'PrometheusRule');
	writeFileSync(join(directory, 'rules.json'), JSON.stringify(rules?.['spec']));
	const replicas = (await Promise.all(APPS.map((app) => platform.replicas(app).catch(() => [])))).flat();
	const tls = await tlsFiles(directory);
	const config = {
		global: { scrape_interval: '1s', evaluation_interval: '1s' },
		rule_files: [join(directory, 'rules.json')],
		scrape_configs: replicas.map(({ app, name, scrape }) => ({
			job_name: name,
			scheme: scrape.scheme,
			metrics_path: scrape.path,
			static_configs: [{ targets: [scrape.address], labels: { pod: name, service: app } }],
			...(scrape.scheme === 'https' && { tls_config: tls }),
		})),
	};
	const running = await startPart('prometheus', { files: { 'prometheus.yaml': JSON.stringify(config) } });
	atTheEnd(() => running.stop());
	const prometheus: Prometheus = {
		async query(expression) {
			const answer = await fetch(`${running.url}/api/v1/query?query=${encodeURIComponent(expression)}`);
			const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } };
			const value = data.result[0]?.value[1];
			return value === undefined || value === 'NaN' ? undefined : Number(value);
		},
	};
	// What was counted before the first sample is in no rate.
	await eventually(
		() => prometheus.query('count(up == 1)'),
		(count) => expect(count).toBe(replicas.length),
	);
	return prometheus;
}

async function tlsFiles(directory: string): Promise<{ ca_file: string; cert_file: string; key_file: string }> {
	const config = new KubeConfig();
	config.loadFromFile(inject('controlPlane').kubeconfigPath);
	const options: RequestOptions = {};
	await config.applyToHTTPSOptions(options);
	const file = (name: string, content: unknown) => {
		const path = join(directory, name);
		writeFileSync(path, content as Buffer, { mode: 0o600 });
		return path;
	};
	return {
		ca_file: file('prometheus-ca.crt', options.ca),
		cert_file: file('prometheus.crt', options.cert),
		key_file: file('prometheus.key', options.key),
	};
}
