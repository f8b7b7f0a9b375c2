// The process that Prometheus scraped, as the labels of the scrape name it. Most processes report on themselves; exporters
// report on something else, and an alert on what they measured is not about them.
// Not guaranteed: an exporter whose names say nothing of the kind is taken for a process that reports on itself, unless
// a label names what it measured. `EXPORTERS` in the configuration adds names.
import { isUrl } from './address.ts';

type Labels = Readonly<Record<string, string>>;

/** They measure the machine that they run on. */
export const HOST_EXPORTERS =
	/node[-_]?exporter|(?:windows|wmi|smartctl|ipmi|systemd|process|ebpf|dcgm|edac)[-_]exporter|conntrack-stats|node-problem-detector|kepler|kubelet|cadvisor|kubernetes-nodes/;
/** They measure what their labels name, or an address. */
export const OTHER_EXPORTERS =
	/exporter|kube-state-metrics|openshift-state-metrics|blackbox|pushgateway|ceph-mgr|kminion|burrow/;
/** They report on themselves, and on a node when they name one. */
export const KEEPERS_OF_NODES =
	/longhorn-manager|topolvm-node|linstor|karpenter|kured|machine-config-daemon|cluster-autoscaler|descheduler/;
/** They keep the `pod` of what they measure: `pod` is their own only on what has none. */
const HONOURING = /state-metrics|kubelet|cadvisor|kubernetes-nodes/;
/** Ports of programs that measure their machine: node-exporter, windows-exporter, kubelet. */
const HOST_PORT = /:(?:9100|9182|10250)$/;
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
	/** A node that it names is what it reports on. */
	readonly keepsNodes: boolean;
	/** The label `node` is where it runs: some ways to scrape put it on everything. */
	readonly isNodeItsOwn: boolean;
	/** The name that shows what it is, for the reasons. */
	readonly name: string;
};

/** `more`: further parts of names that mark exporters. */
export function scrapedProcess(labels: Labels, more: readonly string[]): ScrapedProcess {
	const { pod = '', service = '', container = '', instance = '' } = labels;
	const job = labels['job']?.split('/').at(-1) ?? '';
	const scrape = [job, service].filter((name) => name !== '');
	const honours = HONOURING.test(job) || (HONOURING.test(service) && !pod.startsWith(service));
	const belongs = scrape.some((name) => pod.includes(name));
	const isPodItsOwn = pod !== '' && isScraped(labels) && (!honours || (belongs && labels['uid'] === undefined));
	const names = isPodItsOwn ? [pod, ...(belongs ? scrape : [])] : pod === '' ? [...scrape, container] : [];
	const isExporter = (name: string) =>
		OTHER_EXPORTERS.test(name) || HOST_EXPORTERS.test(name) || more.some((part) => name.includes(part));
	const name = names.find(isExporter);
	const own = {
		isPodItsOwn,
		isServiceItsOwn: !(HONOURING.test(job) && !isExporter(service) && !pod.startsWith(service)),
		keepsNodes: isPodItsOwn && KEEPERS_OF_NODES.test(pod),
		isNodeItsOwn: pod === '' && !honours && service !== '' && instance !== '',
	};
	if (name === undefined && pod === '' && HOST_PORT.test(instance))
		return { ...own, reportsOn: 'its host', name: instance };
	if (name === undefined) return { ...own, reportsOn: 'itself', name: pod || service || job };
	const isHost = HOST_EXPORTERS.test(name);
	const reportsOn = isAboutItself(labels, isHost) ? 'itself' : isHost ? 'its host' : 'others';
	return { ...own, reportsOn, isNodeItsOwn: reportsOn === 'others' && !honours, name };
}

/** Labels that only a scrape gives: an aggregation by pod has none of them. */
function isScraped({ instance = '', endpoint = '', service = '', metrics_path: path = '' }: Labels): boolean {
	return instance !== '' || endpoint !== '' || service !== '' || path !== '';
}

function isAboutItself({ alertname = '', instance = '' }: Labels, isHost: boolean): boolean {
	if (ABOUT_AN_EXPORTER.test(alertname)) return true;
	return !isHost && !isUrl(instance) && ABOUT_A_SCRAPE.test(alertname);
}
