// What runs on this machine, read from the directories in which it lives.
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ownerOf, recordedProcesses } from '@kubernaut/workspace/owned-processes';
import { isAlive, type ProcessIdentity } from '@kubernaut/workspace/process-identity';
import { keptDirectory, runningDirectory } from './owned-directory.ts';

/** Written when a control plane is ready: a directory without one is on its way up, or holds single parts. */
export type InstanceRecord = {
	source: 'kubeconfig' | 'binaries' | 'k3s' | 'built';
	description: string;
	version: string;
	url: string;
	kubeconfigPath: string;
	auditLog: boolean;
	tekton: boolean;
};

export type Instance = {
	name: string;
	directory: string;
	kept: boolean;
	owner: ProcessIdentity | undefined;
	record: InstanceRecord | undefined;
	/** The last one of each name. */
	processes: { name: string; pid: number; alive: boolean }[];
	startedAt: Date;
};

const FILE = 'instance.json';

export function writeInstanceRecord(directory: string, record: InstanceRecord): void {
	const draft = join(directory, `${FILE}.draft`);
	writeFileSync(draft, JSON.stringify(record));
	renameSync(draft, join(directory, FILE));
}

/** All that have a living process, a living owner or a name. */
export function listInstances(environment: NodeJS.ProcessEnv = process.env): Instance[] {
	const read = (parent: string, kept: boolean) =>
		list(parent).flatMap((name) => readInstance(join(parent, name), kept) ?? []);
	return [...read(keptDirectory(environment), true), ...read(runningDirectory(environment), false)];
}

export function findKept(name: string, environment: NodeJS.ProcessEnv = process.env): Instance | undefined {
	return readInstance(join(keptDirectory(environment), name), true);
}

/** Kept ones by their name, others by the name of their directory. */
export function findInstance(name: string, environment: NodeJS.ProcessEnv = process.env): Instance | undefined {
	return findKept(name, environment) ?? readInstance(join(runningDirectory(environment), name), false);
}

/** Complete, and everything that belongs to it is still there. */
export function isUp({ record, owner, processes }: Instance): boolean {
	if (record === undefined) return false;
	if (record.source === 'k3s') return owner !== undefined && isAlive(owner);
	return processes.every(({ alive }) => alive);
}

function readInstance(directory: string, kept: boolean): Instance | undefined {
	try {
		const processes = new Map(
			recordedProcesses(directory).map((process) => [
				process.name,
				{ name: process.name, pid: process.pid, alive: isAlive(process) },
			]),
		);
		return {
			name: basename(directory),
			directory,
			kept,
			owner: ownerOf(directory),
			record: readRecord(directory),
			processes: [...processes.values()],
			startedAt: statSync(directory).birthtime,
		};
	} catch {
		return undefined; // gone
	}
}

function readRecord(directory: string): InstanceRecord | undefined {
	try {
		return JSON.parse(readFileSync(join(directory, FILE), 'utf8')) as InstanceRecord;
	} catch {
		return undefined; // not ready yet, or no control plane
	}
}

function list(parent: string): string[] {
	try {
		return readdirSync(parent).toSorted();
	} catch {
		return []; // nothing was ever started
	}
}
