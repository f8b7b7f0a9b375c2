import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { logNames, writeLogs } from './logs.ts';

let directory: string;
let written: string;
const write = (text: string) => void (written += text);
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), 'logs-'));
	written = '';
	writeFileSync(join(directory, 'etcd.log'), 'e1\ne2\n');
	writeFileSync(join(directory, 'kube-apiserver.log'), 'k1\n');
	writeFileSync(join(directory, 'kubeconfig'), '');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('knows which there are', () => {
	expect(logNames(directory)).toEqual(['etcd', 'kube-apiserver']);
});

it('writes one as it is', async () => {
	await writeLogs(directory, ['etcd'], write);
	expect(written).toBe('e1\ne2\n');
});

it('writes several with their names in front', async () => {
	await writeLogs(directory, ['etcd', 'kube-apiserver'], write);
	expect(written).toBe('etcd | e1\netcd | e2\nkube-apiserver | k1\n');
});

it('follows whole lines until it is aborted', async () => {
	const controller = new AbortController();
	const following = writeLogs(directory, ['etcd', 'kube-apiserver'], write, controller.signal);
	written = '';
	const bytes = Buffer.from('ü3\n');
	appendFileSync(join(directory, 'etcd.log'), bytes.subarray(0, 1)); // half a letter
	appendFileSync(join(directory, 'kube-apiserver.log'), 'k2\n'); // once this is written, the half letter was read
	await expect.poll(() => written).toBe('kube-apiserver | k2\n');
	appendFileSync(join(directory, 'etcd.log'), bytes.subarray(1));
	await expect.poll(() => written).toBe('kube-apiserver | k2\netcd | ü3\n');
	controller.abort();
	await following;
});

it('stops following when the control plane goes', async () => {
	const following = writeLogs(directory, ['etcd'], write, new AbortController().signal);
	rmSync(directory, { recursive: true });
	await following;
	expect(written).toBe('e1\ne2\n');
});
