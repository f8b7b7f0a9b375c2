// The labels that scrapes give, in the shape of kube-prometheus-stack's defaults, and the labels of what was measured on
// top. kube-state-metrics and the kubelet are scraped with honorLabels: a label of the metric replaces that of the scrape.

export type Labels = Readonly<Record<string, string>>;

/** One alert and the object that it is about, judged from what its rule measures. */
export type CorpusAlert = {
	readonly labels: Labels;
	/**
	 * `namespace/Kind/name`, `Kind/name`, `Node of namespace/pod` (the Node that runs an exporter),
	 * `Node at address`, or `none`: no object, the alert itself.
	 */
	readonly want: string;
};

export function alert(alertname: string, labels: Labels, want: string, severity = 'warning'): CorpusAlert {
	return {
		labels: { alertname, severity, prometheus: 'monitoring/kps-kube-prometheus-stack-prometheus', ...labels },
		want,
	};
}

/** Without the label `prometheus`: only the operator's Prometheus adds it. */
export function plain(alertname: string, labels: Labels, want: string): CorpusAlert {
	return { labels: { alertname, severity: 'page', ...labels }, want };
}

export const KSM_POD = 'kps-kube-state-metrics-58474dc949-6ngch';

/** `metric`: the labels of the metric. */
export function ksm(metric: Labels): Labels {
	return {
		container: 'kube-state-metrics',
		endpoint: 'http',
		instance: '10.42.2.101:8080',
		job: 'kube-state-metrics',
		namespace: 'monitoring',
		pod: KSM_POD,
		service: 'kps-kube-state-metrics',
		...metric,
	};
}

/** Without honorLabels: labels of the metric that the scrape has too are renamed. */
export function ksmRenamed(metric: Labels): Labels {
	const scrape = ksm({});
	return {
		...scrape,
		...Object.fromEntries(
			Object.entries(metric).map(([label, value]) => [label in scrape ? `exported_${label}` : label, value]),
		),
	};
}

export function nodeExporter(metric: Labels = {}): Labels {
	return {
		container: 'node-exporter',
		endpoint: 'http-metrics',
		instance: '10.0.0.33:9100',
		job: 'node-exporter',
		namespace: 'monitoring',
		pod: 'kps-prometheus-node-exporter-w7bb7',
		service: 'kps-prometheus-node-exporter',
		...metric,
	};
}
export const ITS_NODE = 'Node of monitoring/kps-prometheus-node-exporter-w7bb7';

export function kubelet(metric: Labels = {}): Labels {
	return {
		endpoint: 'https-metrics',
		instance: '10.0.0.33:10250',
		job: 'kubelet',
		metrics_path: '/metrics',
		namespace: 'kube-system',
		node: 'worker-3',
		service: 'kps-kube-prometheus-stack-kubelet',
		...metric,
	};
}

export function cadvisor(metric: Labels): Labels {
	return kubelet({
		metrics_path: '/metrics/cadvisor',
		id: '/kubepods/besteffort/pod1f',
		image: 'registry/cart:1',
		name: 'a1b2',
		...metric,
	});
}

/** A pod behind a Service, scraped by a ServiceMonitor. */
export function scraped(
	namespace: string,
	service: string,
	pod: string,
	metric: Labels = {},
	scrape: Labels = {},
): Labels {
	const own: Record<string, string> = {
		container: service,
		endpoint: 'metrics',
		instance: '10.42.1.17:8080',
		job: service,
		namespace,
		pod,
		service,
		...scrape,
	};
	for (const [label, value] of Object.entries(metric)) own[label in own ? `exported_${label}` : label] = value;
	return own;
}

/** Scraped by a PodMonitor: no Service. */
export function podMonitored(namespace: string, monitor: string, pod: string, metric: Labels = {}): Labels {
	const { service: _, ...rest } = scraped(namespace, monitor, pod, metric, { job: `${namespace}/${monitor}` });
	return rest;
}
