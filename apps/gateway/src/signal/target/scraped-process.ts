// The process that Prometheus scraped, as the labels of the scrape name it. Most processes report on themselves; exporters
// report on something else, and an alert on what they measured is not about them.
// Not guaranteed: an exporter whose names say nothing of the kind is taken for a process that reports on itself, unless
// a label names what it measured. `EXPORTERS` in the configuration adds names.
import { workloadOf } from '../generated-name.ts';
import { isUrl, namesAddress } from './address.ts';
import { NAMESPACE_LABELS } from './label-kinds.ts';
import { nameOfPod } from './labelled-pod.ts';

type Labels = Readonly<Record<string, string>>;

/** They measure the machine that they run on. */
export const HOST_EXPORTERS =
	/node[-_]?exporter|(?:windows|wmi|smartctl|ipmi|systemd|process|ebpf|dcgm|edac)[-_]exporter|conntrack-stats|node-problem-detector|kepler|kubelet|cadvisor|kubernetes-nodes/;
/** They measure what their labels name, or an address. */
export const OTHER_EXPORTERS =
	/exporter|prober|poller|statsd|pushgateway|pushprox|kube-state-metrics|openshift-state-metrics|blackbox|ceph-mgr|kminion|burrow/;
/** They report on themselves, and on a node when they name one. */
export const KEEPERS_OF_NODES =
	/longhorn-manager|topolvm-node|linstor|karpenter|kured|machine-config-daemon|cluster-autoscaler|descheduler/;
/** They keep the `pod` of what they measure: `pod` is their own only on what has none. */
const HONOURING = /state-metrics|kubelet|cadvisor|kubernetes-nodes/;
/** It is no pod: the one that it names is never its own. */
const KUBELET = /kubelet|kubernetes-nodes/;
/** Ports of programs that measure their machine: node-exporter, windows-exporter, kubelet. */
const HOST_PORT = /:(?:9100|9182|10250)$/;
/** The usual job of node-exporter outside of a cluster. Inside of one, it may be a program of that name. */
const HOST_JOB = /^nodes?$/;
/** Services and workloads of metrics alone, beside those of what they measure. */
const OF_METRICS = /(?:^|-)metrics$/;
/** An alert with such a name is about the exporter. */
const ABOUT_AN_EXPORTER = /exporter|statemetrics|pushgateway/i;
/** An alert with such a name is about the process that was scraped. */
const ABOUT_A_SCRAPE = /(?:target|instance|scrape)s?_?(?:down|missing|absent|unreachable|failed|failing|lost)/i;

export type ScrapedProcess = {
	readonly reportsOn: 'itself' | 'its host' | 'others';
	/** The label `pod` is of the scrape, not of what was measured. */
	readonly isPodItsOwn: boolean;
	/** The label `service` is of the scrape, not of what was measured. */
	readonly isServiceItsOwn: boolean;
	/** The alert is about whether it can be scraped. */
	readonly isAboutScrape: boolean;
	/** A node that it names is what it reports on. */
	readonly keepsNodes: boolean;
	/** The label `node` is where it runs: some ways to scrape put it on everything. */
	readonly isNodeItsOwn: boolean;
	/** An address in this label, of this Service, was scraped: it is not what was measured. */
	readonly isScrape: (label: string, service: string) => boolean;
	/** The name that shows what it is, for the reasons. */
	readonly name: string;
};

/** `more`: further parts of names that mark exporters. */
export function scrapedProcess(labels: Labels, more: readonly string[]): ScrapedProcess {
	const { service = '', container = '', instance = '' } = labels;
	const isExporter = (name: string) =>
		OTHER_EXPORTERS.test(name) || HOST_EXPORTERS.test(name) || more.some((part) => name.includes(part));
	const pod = nameOfPod(labels);
	const jobs = jobsOf(labels);
	const job = jobs.at(-1) ?? '';
	const scrape = [...jobs, service].filter((name) => name !== '');
	const honours = HONOURING.test(job) || (HONOURING.test(service) && !pod.startsWith(service));
	const belongs = scrape.some((name) => pod.includes(name) && !KUBELET.test(name));
	// An aggregation by pod and job keeps the name of the scrape, and not its address.
	const isOfScrape = isScraped(labels) || (!honours && jobs.some((name) => pod.includes(name)));
	const isServiceMeasured =
		HONOURING.test(job) && !pod.startsWith(service) && !(belongs ? HONOURING.test(service) : isExporter(service));
	const isPodItsOwn =
		pod !== '' && isOfScrape && (!honours || (belongs && (labels['uid'] === undefined || isServiceMeasured)));
	const names = isPodItsOwn
		? [pod, ...(belongs ? scrape : [])]
		: pod === ''
			? [...scrape, container, ...PROGRAM_LABELS.map((label) => labels[label] ?? '')]
			: [];
	const isOfMetrics = isPodItsOwn && OF_METRICS.test(workloadOf({ kind: 'Pod', name: pod })?.name ?? '');
	const name = names.find(isExporter) ?? (isOfMetrics ? pod : undefined);
	const own = {
		isPodItsOwn,
		isServiceItsOwn: !isServiceMeasured,
		isAboutScrape: [ABOUT_A_SCRAPE, ABOUT_AN_EXPORTER].some((about) => about.test(labels['alertname'] ?? '')),
		keepsNodes: isPodItsOwn && (KEEPERS_OF_NODES.test(pod) || isOfNodeAlone(labels)),
		isNodeItsOwn: pod === '' && !honours && service !== '' && instance !== '',
		isScrape: (label: string, called: string) =>
			label === 'instance' &&
			!isUrl(instance) &&
			(honours || !!labels['exported_instance'] || isExporter(called) || OF_METRICS.test(called)),
	};
	if (name === undefined && pod === '' && (HOST_PORT.test(instance) || isJobOfHosts(labels)))
		return { ...own, reportsOn: 'its host', name: instance };
	if (name === undefined)
		return isPodItsOwn && (namesOtherNamespace(labels) || isRelayed(labels))
			? { ...own, reportsOn: 'others', isNodeItsOwn: true, name: pod }
			: { ...own, reportsOn: 'itself', name: pod || service || job };
	const isHost = HOST_EXPORTERS.test(name);
	if (isAboutItself(labels, isHost, isPodItsOwn)) return { ...own, reportsOn: 'itself', isNodeItsOwn: false, name };
	if (isHost || (isPodItsOwn && !honours && isOneForEachNode(pod, labels)))
		return { ...own, reportsOn: 'its host', isNodeItsOwn: false, name };
	return { ...own, reportsOn: 'others', isNodeItsOwn: !honours, name };
}

/** Where a scrape says which program it found. */
const PROGRAM_LABELS = ['app', 'app_kubernetes_io_name', 'k8s_app'] as const;

/** Of a relayed series (a federation, a gateway that is pushed to) the job that measured it comes first. */
function jobsOf({ job = '', exported_job: exported = '', exported_instance: instance = '' }: Labels): string[] {
	const relayed = exported !== '' && instance !== '' ? [exported] : [];
	return [...relayed, job].map((name) => name.split('/').at(-1) ?? '').filter((name) => name !== '');
}

function isJobOfHosts({ job = '', namespace = '', service = '', instance = '' }: Labels): boolean {
	return HOST_JOB.test(job) && namespace === '' && service === '' && instance !== '';
}

/** A DaemonSet of exporters is there to measure each node, unless the labels say which address was measured. */
function isOneForEachNode(pod: string, labels: Labels): boolean {
	return (
		workloadOf({ kind: 'Pod', name: pod })?.kind === 'DaemonSet' &&
		!isUrl(labels['instance'] ?? '') &&
		!namesAddress(labels)
	);
}

/** A process reports on what is in another namespace than its own. */
function namesOtherNamespace(labels: Labels): boolean {
	const own = labels['namespace'];
	return own !== undefined && NAMESPACE_LABELS.some((label) => (labels[label] || own) !== own);
}

/** The series has a job of its own, as scrapes and OpenTelemetry write it: another process measured it. */
function isRelayed({ exported_job: job = '', exported_instance: instance = '' }: Labels): boolean {
	return job.includes('/') || (job !== '' && instance !== '');
}

/** OpenTelemetry names the pod beside the node where it measured a pod. */
function isOfNodeAlone({ k8s_node_name: node, k8s_pod_name: pod }: Labels): boolean {
	return !!node && !pod;
}

/** Labels that only a scrape gives: an aggregation by pod has none of them. */
function isScraped({ instance = '', endpoint = '', service = '', metrics_path: path = '' }: Labels): boolean {
	return instance !== '' || endpoint !== '' || service !== '' || path !== '';
}

function isAboutItself({ alertname = '', instance = '' }: Labels, isHost: boolean, isPodNamed: boolean): boolean {
	// Without its pod, an exporter of its machine is that machine.
	if (ABOUT_AN_EXPORTER.test(alertname)) return !isHost || isPodNamed;
	return !isHost && !isUrl(instance) && ABOUT_A_SCRAPE.test(alertname);
}
