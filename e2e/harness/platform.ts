// What a scenario sees of the platform, wherever it runs: pods of a cluster, or processes beside a control plane. One body
// of a scenario, two environments.
import type { KubeApi, KubeObject } from '@kubernaut/control-plane';
import type { AppName } from '@kubernaut/testkit';

export type Replica = {
	readonly app: AppName;
	/** POD_NAME, which is the beginning of the holder's name in its locks. */
	readonly name: string;
	isReady(): Promise<boolean>;
	/** What its /readyz answers. */
	readiness(): Promise<{ readonly status: number; readonly text: string }>;
	/** At once and without a farewell; another takes its place, as a Deployment sees to it. */
	kill(): Promise<void>;
	/** Its process stands still when this ends, and neither answers nor ends: a node that hangs. */
	freeze(): Promise<void>;
	thaw(): Promise<void>;
	/** As Prometheus reads them. */
	metrics(): Promise<string>;
	/** A line each. */
	log(): Promise<string[]>;
	/** For a Prometheus of the test: where to scrape it. */
	readonly scrape: { readonly scheme: 'http' | 'https'; readonly address: string; readonly path: string };
};

export type Channel = 'slack' | 'mail' | 'webhook';
export type Arrival = {
	/** Of the NotificationRequest. */
	readonly name: string;
	/** In ms of the receiver's own clock. */
	readonly at: number;
};
/** Real receivers that record what arrives. */
export type Receivers = {
	received(): Promise<Readonly<Record<Channel, readonly Arrival[]>>>;
	/** The webhook keeps its sender waiting, or answers at once again. */
	holdWebhook(hold: boolean): Promise<void>;
};

export type PipelinePlay = { readonly seconds?: number; readonly fails?: boolean };

/** Of all apps. Both replace one replica after the other, as a person's commands do. */
export type Versions = {
	readonly previousCommit: string;
	toPrevious(): Promise<void>;
	/** As docs/install.md says: kinds first, then the apps. */
	toCurrent(): Promise<void>;
};

export type Platform = {
	readonly environment: 'processes' | 'cluster';
	/** An administrator's. */
	readonly api: KubeApi;
	readonly namespace: string;
	readonly executionNamespace: string;
	readonly receivers: Receivers;
	/** Pods are real and change the cluster; on simulated nodes they only end as they are asked to. */
	readonly runsPods: boolean;
	/** Replicas can be frozen: not in a node that is not ours. */
	readonly freezes: boolean;
	/** Where a sender connects next: the Service, or the next replica that is up. */
	signalUrl(): string;
	/** Of a sender that may send signals. */
	senderToken(): Promise<string>;
	replicas(app: AppName): Promise<readonly Replica[]>;
	/** Ends when so many are ready and no others are left. */
	scale(app: AppName, count: number): Promise<void>;
	/** Each is replaced, one by one; ends when all are new and ready. */
	rollingRestart(app: AppName): Promise<void>;
	/** Absent where the API server is not ours. It is killed, and back when this ends. */
	readonly restartApiServer?: () => Promise<void>;
	/** Absent when there is no version before this one: a cluster that is not of this run, or a tree without its history. */
	readonly versions?: Versions;
	/** A Pipeline of the execution namespace whose runs behave so. */
	putPipeline(name: string, play: PipelinePlay): Promise<void>;
	/** A real Alertmanager that sends to the gateway: fires this alert. */
	fireAlert(labels: Readonly<Record<string, string>>): Promise<void>;
	/** What it printed. In a cluster only. */
	readonly kubectl?: (...args: readonly string[]) => Promise<string>;
	/** A step that runs this program with Node. Where pods are real. */
	readonly nodeStep?: (program: string, env?: Readonly<Record<string, string>>) => KubeObject;
};

export const REPLICAS = 3;
/** Why a scenario is left out. */
export const NOTHING_FREEZES = 'the node of this cluster is not ours: nothing can be frozen';
