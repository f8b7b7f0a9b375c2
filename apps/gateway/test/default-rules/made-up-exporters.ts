// A web server with made-up series in the shape of kube-state-metrics, node-exporter, the kubelet and the others, and the
// configuration of a Prometheus that scrapes them with the labels that kube-prometheus-stack gives.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `value`: of the number of scrapes so far, or of the seconds since the start. */
export type Series = readonly [
	name: string,
	labels: string,
	value: number | ((scrapes: number, seconds: number) => number),
];

export type Exporter = {
	readonly job: string;
	/** Labels of the scrape. */
	readonly labels: Readonly<Record<string, string>>;
	/** Labels of the series win over those of the scrape. */
	readonly honorLabels?: boolean;
	/** Absent: the exporter does not answer. */
	readonly series?: readonly Series[];
};

export type MadeUpExporters = {
	readonly scrapeConfigs: readonly object[];
	close(): Promise<void>;
};

export async function serveExporters(exporters: readonly Exporter[]): Promise<MadeUpExporters> {
	const startedAt = performance.now();
	const scrapes = exporters.map(() => 0);
	const server = createServer((request, response) => {
		const index = Number(request.url?.slice(1));
		const { series } = exporters[index] ?? {};
		if (series === undefined) return response.writeHead(500).end();
		const [count, seconds] = [(scrapes[index] = (scrapes[index] ?? 0) + 1), (performance.now() - startedAt) / 1000];
		const lines = series.map(([name, labels, value]) => {
			const number = typeof value === 'number' ? value : value(count, seconds);
			return `${name}{${labels}} ${number}\n`;
		});
		return response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(lines.join(''));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		scrapeConfigs: exporters.map(({ job, labels, honorLabels = false }, index) => ({
			job_name: `${job}-${index}`,
			metrics_path: `/${index}`,
			honor_labels: honorLabels,
			static_configs: [{ targets: [address], labels: { job, ...labels } }],
		})),
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
