import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOwnedDirectory, keepOwned, startOwnedProcess, stopOwned } from '@kubernaut/workspace/owned-processes';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findInstance, findKept, type InstanceRecord, isUp, listInstances, writeInstanceRecord } from './instances.ts';
import { keptDirectory, runningDirectory } from './owned-directory.ts';

const RECORD: InstanceRecord = {
	source: 'binaries',
	description: 'Kubernetes 1.36.3',
	version: '1.36.3',
	url: 'https://127.0.0.1:12345',
	kubeconfigPath: '/somewhere/kubeconfig',
	auditLog: false,
	tekton: false,
};

let cache: string;
let environment: NodeJS.ProcessEnv;
let kept: string;
let owned: string;
beforeEach(() => {
	cache = mkdtempSync(join(tmpdir(), 'instances-'));
	environment = { KUBERNAUT_CACHE_DIR: cache };
	kept = createOwnedDirectory(keptDirectory(environment), 'mine');
	owned = createOwnedDirectory(runningDirectory(environment), '0123abcd');
});
afterEach(async () => {
	await stopOwned(kept);
	await stopOwned(owned);
	rmSync(cache, { recursive: true });
});

it('lists kept control planes and those that a living process owns', () => {
	keepOwned(kept);
	expect(listInstances(environment)).toMatchObject([
		{ name: 'mine', kept: true, owner: undefined },
		{ name: '0123abcd', kept: false, owner: { pid: process.pid } },
	]);
	expect(listInstances({ KUBERNAUT_CACHE_DIR: join(cache, 'elsewhere') })).toEqual([]);
});

it('finds by name; `kept` ones only where only those are meant', () => {
	expect(findInstance('mine', environment)?.directory).toBe(kept);
	expect(findInstance('0123abcd', environment)?.directory).toBe(owned);
	expect(findKept('0123abcd', environment)).toBeUndefined();
	expect(findInstance('missing', environment)).toBeUndefined();
});

it('is up once it is complete, for as long as its processes live', async () => {
	const up = () => isUp(findKept('mine', environment)!);
	const child = startOwnedProcess(kept, 'etcd', ['sleep', '1000']);
	expect(up()).toBe(false);
	writeInstanceRecord(kept, RECORD);
	expect(findKept('mine', environment)?.record).toEqual(RECORD);
	expect(up()).toBe(true);
	child.kill('SIGKILL');
	await expect.poll(up).toBe(false);
});

it('judges a process that was started again by its last start', async () => {
	const first = startOwnedProcess(kept, 'etcd', ['true']);
	await new Promise((resolve) => first.once('exit', resolve));
	startOwnedProcess(kept, 'etcd', ['sleep', '1000']);
	writeInstanceRecord(kept, RECORD);
	expect(findKept('mine', environment)?.processes).toHaveLength(1);
	expect(isUp(findKept('mine', environment)!)).toBe(true);
});

it('takes a record that is cut off for none', () => {
	writeFileSync(join(kept, 'instance.json'), '{"source":');
	expect(findKept('mine', environment)?.record).toBeUndefined();
});
