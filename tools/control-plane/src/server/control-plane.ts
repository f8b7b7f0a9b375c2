// A real kube-apiserver with its etcd, for tests, demo and benchmarks. There is no fake API server anywhere.
// Where it comes from, first that can be had: a kubeconfig that was named on purpose; binaries that are there
// (KUBEBUILDER_ASSETS, PATH, our cache); k3s in Docker; binaries built from the Go module proxy.
// The plain KUBECONFIG is never read: it may name a production cluster.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startProgress } from '@kubernaut/workspace/progress';
import { buildPart, neededGo } from '../parts/build-part.ts';
import { findPart } from '../parts/find-part.ts';
import { PartUnavailableError } from '../parts/obtain-part.ts';
import { type PartSwitch, partSwitch } from '../parts/part-switch.ts';
import { PARTS } from '../parts/parts.ts';
import { startPart } from '../parts/start-part.ts';
import { type InstanceRecord, writeInstanceRecord } from '../running/instances.ts';
import { type OwnedDirectory, openOwnedDirectory } from '../running/owned-directory.ts';
import { obtainTekton, startTekton, type TektonPrograms } from '../tekton/start-tekton.ts';
import { AuditLog, auditFlags } from './audit-log.ts';
import { createCertificates } from './certificates.ts';
import { startK3s } from './k3s.ts';
import { KubeApi } from './kube-api.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { askServerVersion, type ServerVersion } from './server-version.ts';

export type ControlPlaneOptions = {
	/** An API server that is there already; default KUBERNAUT_TEST_KUBECONFIG. */
	kubeconfig?: string;
	/** Keep the API server's audit log, to count calls. */
	auditLog?: boolean;
	/**
	 * With Tekton, and simulated nodes that play the pods of its TaskRuns: src/tekton/pod-outcomes.ts. Always on processes
	 * of our own: no named server and no container, whose pods are real and which do not reach Tekton's webhook here.
	 */
	tekton?: boolean;
	/**
	 * Makes what must be there first, CRDs above all: the garbage collector, which comes with Tekton, looks for new kinds
	 * only every 30 s.
	 */
	prepare?: (api: KubeApi) => Promise<void>;
	/** More flags for kube-apiserver (own processes only). */
	apiServerArgs?: readonly string[];
	/** Where it lives; default a directory that ends with this process. Closed when the start fails. */
	directory?: OwnedDirectory;
	/** Ends the start; what was started so far is stopped. */
	signal?: AbortSignal;
	environment?: NodeJS.ProcessEnv;
};

export type ControlPlane = {
	readonly source: 'kubeconfig' | 'binaries' | 'k3s' | 'built';
	/** One line for people: what it is and where it came from. */
	readonly description: string;
	readonly version: string;
	/** Of the API server. */
	readonly url: string;
	readonly kubeconfigPath: string;
	readonly directory: string | undefined;
	/** Only when asked for, and never for a server that was named. */
	readonly auditLog: AuditLog | undefined;
	/** To see what an outage does; only where the API server is a process of ours. */
	readonly apiServer: PartSwitch | undefined;
	stop(): Promise<void>;
};

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
	const environment = options.environment ?? process.env;
	const named = options.kubeconfig ?? environment['KUBERNAUT_TEST_KUBECONFIG'];
	if (options.tekton && options.kubeconfig !== undefined)
		throw new Error('Tekton with simulated nodes needs a control plane of its own: leave the kubeconfig out');
	if (named && !options.tekton) return useNamedServer(resolve(named), options);

	const directory = options.directory ?? (await openOwnedDirectory(environment));
	try {
		return await startIn(directory, { ...options, environment });
	} catch (error) {
		await directory.close();
		throw error;
	}
}

async function useNamedServer(kubeconfigPath: string, options: ControlPlaneOptions): Promise<ControlPlane> {
	const { version, refused, url } = await askNamedServer(kubeconfigPath);
	if (refused !== undefined) throw new Error(refused);
	await prepare(kubeconfigPath, options);
	return {
		source: 'kubeconfig',
		description: `Kubernetes ${version} at ${url}, named by ${kubeconfigPath}`,
		version,
		url,
		kubeconfigPath,
		directory: undefined,
		auditLog: undefined,
		apiServer: undefined,
		stop: async () => {}, // not ours
	};
}

async function askNamedServer(kubeconfigPath: string): Promise<ServerVersion & { url: string }> {
	try {
		return await askServer(kubeconfigPath);
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		throw new Error(`The API server that ${kubeconfigPath} names cannot be asked: ${why}`, { cause: error });
	}
}

async function startIn(
	directory: OwnedDirectory,
	options: ControlPlaneOptions & { environment: NodeJS.ProcessEnv },
): Promise<ControlPlane> {
	const apiServer = findPart('kube-apiserver', options.environment);
	const etcd = findPart('etcd', options.environment);
	if ('found' in apiServer && 'found' in etcd)
		return startProcesses('binaries', etcd.found.path, apiServer.found.path, directory, options);

	const tried = [...('tried' in apiServer ? apiServer.tried : []), ...('tried' in etcd ? etcd.tried : [])];
	if (!options.tekton) {
		const docker = await startK3s(directory.path, {
			auditLog: options.auditLog ?? false,
			...(options.signal && { signal: options.signal }),
		});
		if ('k3s' in docker) return describeK3s(docker.k3s, directory, options);
		tried.push(docker.problem);
		options.signal?.throwIfAborted();
	}

	const builtEtcd = 'found' in etcd ? etcd.found : await buildPart('etcd', options);
	if ('problem' in builtEtcd)
		throw new PartUnavailableError('A control plane', [...tried, builtEtcd.problem], advice());
	const built = 'found' in apiServer ? apiServer.found : await buildPart('kube-apiserver', options);
	if ('problem' in built) throw new PartUnavailableError('A control plane', [...tried, built.problem], advice());
	return startProcesses('built', builtEtcd.path, built.path, directory, options);
}

async function startProcesses(
	source: 'binaries' | 'built',
	etcdBinary: string,
	apiServerBinary: string,
	own: OwnedDirectory,
	options: ControlPlaneOptions,
): Promise<ControlPlane> {
	const directory = own.path;
	const signal = options.signal ? { signal: options.signal } : {};
	const tekton = options.tekton ? await obtainTekton(options) : undefined;
	const progress = startProgress('Starting etcd and kube-apiserver');
	try {
		const admin = await createCertificates(directory);
		const etcd = await startPart('etcd', { directory, binary: etcdBinary, ...signal });
		const audit = options.auditLog ? auditFlags(directory) : [];
		const running = await startPart('kube-apiserver', {
			directory,
			binary: apiServerBinary,
			extraArgs: [`--etcd-servers=${etcd.url}`, ...audit, ...(options.apiServerArgs ?? [])],
			...signal,
		});
		progress.stop('done');
		const apiServer = partSwitch(directory, 'kube-apiserver');
		const kubeconfigPath = join(directory, 'kubeconfig');
		writeFileSync(kubeconfigPath, kubeconfigText(running.url, admin.ca, admin), { mode: 0o600 });
		const from = source === 'built' ? 'built from source' : apiServerBinary;
		const stop = async () => {
			// It would finish its calls for most of a minute, and the API server that makes them is to end as well.
			await partSwitch(directory, 'tekton-webhook').stop('SIGKILL');
			await own.close();
		};
		return await complete(own, options, { source, kubeconfigPath, from, apiServer, stop, ...(tekton && { tekton }) });
	} finally {
		progress.stop(options.signal?.aborted ? 'interrupted' : 'failed'); // the first end counts
	}
}

async function describeK3s(
	k3s: { kubeconfigPath: string; stop(): Promise<void> },
	own: OwnedDirectory,
	options: ControlPlaneOptions,
): Promise<ControlPlane> {
	const { kubeconfigPath } = k3s;
	const stop = async () => {
		await k3s.stop();
		await own.close();
	};
	try {
		const { refused } = await askServer(kubeconfigPath);
		if (refused !== undefined) throw new Error(refused);
		return await complete(own, options, { source: 'k3s', kubeconfigPath, from: 'k3s in Docker', stop });
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Our own binaries were checked before they were started; here only the numbers are wanted. */
async function complete(
	own: OwnedDirectory,
	options: ControlPlaneOptions,
	started: {
		source: InstanceRecord['source'];
		kubeconfigPath: string;
		from: string;
		apiServer?: PartSwitch;
		tekton?: TektonPrograms;
		stop: () => Promise<void>;
	},
): Promise<ControlPlane> {
	const { source, kubeconfigPath, from, apiServer, tekton, stop } = started;
	await prepare(kubeconfigPath, options);
	if (tekton) await startTekton(own.path, tekton, options.signal);
	const { version, url } = await askServer(kubeconfigPath);
	const auditLog = options.auditLog ? new AuditLog(own.path) : undefined;
	const withTekton = tekton ? ` with Tekton ${PARTS['tekton-controller'].version.replace('v', '')}` : '';
	const description = `Kubernetes ${version}${withTekton} at ${url}, ${from}`;
	writeInstanceRecord(own.path, {
		source,
		description,
		version,
		url,
		kubeconfigPath,
		auditLog: auditLog !== undefined,
		tekton: tekton !== undefined,
	});
	return { source, description, version, url, kubeconfigPath, directory: own.path, auditLog, apiServer, stop };
}

async function prepare(kubeconfigPath: string, options: ControlPlaneOptions): Promise<void> {
	if (options.prepare === undefined) return;
	const api = KubeApi.fromFile(kubeconfigPath);
	try {
		await options.prepare(api);
	} finally {
		await api.close();
	}
}

async function askServer(kubeconfigPath: string): Promise<ServerVersion & { url: string }> {
	const api = KubeApi.fromFile(kubeconfigPath);
	try {
		return { ...(await askServerVersion(api)), url: api.server };
	} finally {
		await api.close();
	}
}

function advice(): string {
	const binaries = (['kube-apiserver', 'etcd'] as const).map((name) => `${name} ${PARTS[name].oldest}`);
	return [
		'Install one of these:',
		`  - Go ${neededGo('kube-apiserver')} or later: the control plane is then built, once, in 5 to 10 minutes;`,
		'  - a Docker engine that can pull images;',
		`  - ${binaries.join(' and ')}, or later ones, on PATH or in the directory that KUBEBUILDER_ASSETS names.`,
		'Or name a cluster that is made for tests in KUBERNAUT_TEST_KUBECONFIG.',
	].join('\n');
}
