// Whole test runs with their control planes: two at once, one of them killed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { KubeApi, kubeconfigText, startControlPlane } from '@kubernaut/control-plane';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { madeUpWorkspace } from './made-up-workspace.ts';

const named = process.env['KUBERNAUT_TEST_KUBECONFIG'];
const assets = process.env['KUBEBUILDER_ASSETS'];
/** The user's own cache, because the programs are there, and what names a control plane. */
const environment: NodeJS.ProcessEnv = {
	KUBERNAUT_CACHE_DIR: cacheDirectory(),
	...(named ? { KUBERNAUT_TEST_KUBECONFIG: named } : {}),
	...(assets ? { KUBEBUILDER_ASSETS: assets } : {}),
};
const START_LIMIT = { timeout: 100_000, interval: 200 };

const workspace = madeUpWorkspace();
afterAll(() => workspace.remove());

function processesNaming(text: string): string[] {
	const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' });
	return stdout.split('\n').filter((line) => line.includes(text));
}

it('one that is interrupted while its control plane is there begins nothing new', async () => {
	const interrupted = madeUpWorkspace();
	onTestFinished(() => interrupted.remove());
	interrupted.addPackage('a', { passed: 1, failed: 0, hang: true }, { test: 'unit', 'test:int': 'int' });
	const run = interrupted.start([], environment);
	await expect.poll(() => interrupted.hanging(), START_LIMIT).toHaveLength(1);
	await expect.poll(() => run.output(), START_LIMIT).toContain('Control plane:');
	run.child.kill('SIGINT');
	expect(await run.exited).toBe(130);
	expect(run.output()).not.toMatch(/\d passed/);
	expect(interrupted.ran()).toEqual(['a unit']);
	await expect.poll(() => interrupted.left(), START_LIMIT).toEqual([]);
	expect(interrupted.ran()).toEqual([]);
}, 300_000);

it('the cluster of the user’s KUBECONFIG hears nothing of a run', async () => {
	let calls = 0;
	const production = createServer((socket) => {
		calls++;
		socket.destroy();
	});
	await new Promise<void>((resolve) => production.listen(0, '127.0.0.1', resolve));
	const checkout = madeUpWorkspace();
	onTestFinished(() => {
		production.close();
		checkout.remove();
	});
	const { port } = production.address() as AddressInfo;
	const kubeconfig = join(checkout.cache, 'kubeconfig');
	mkdirSync(checkout.cache, { recursive: true });
	writeFileSync(kubeconfig, kubeconfigText(`https://127.0.0.1:${port}`, '', { token: 'secret' }));
	checkout.addPackage('a', { passed: 3, failed: 0 }, { test: 'unit', 'test:int': 'int' });
	const { code, output } = await checkout.run([], { ...environment, KUBECONFIG: kubeconfig });
	expect(code, output).toBe(0);
	expect(output).toContain('Control plane:');
	expect(checkout.ran()).toEqual(['a int', 'a unit']);
	expect(calls).toBe(0);
}, 300_000);

it('a cluster that is named is asked every time, whatever passed before', async () => {
	const cluster = await startControlPlane({ environment: { ...process.env, ...environment } });
	const checkout = madeUpWorkspace();
	onTestFinished(async () => {
		checkout.remove();
		await cluster.stop();
	});
	checkout.addPackage('a', { passed: 3, failed: 0 }, { test: 'unit', 'test:int': 'int' });
	const args = ['--kubeconfig', relative(checkout.root, cluster.kubeconfigPath)]; // as a person would type it
	for (const want of [['a int', 'a unit'], ['a int']]) {
		const { code, output } = await checkout.run(args, environment);
		expect(code, output).toBe(0);
		expect(output).toContain(`, named by ${cluster.kubeconfigPath}`);
		expect(checkout.ran()).toEqual(want);
	}
	// What passed there says nothing about a control plane of our own.
	await checkout.run([], environment);
	expect(checkout.ran()).toEqual(['a int']);
}, 300_000);

it('two runs at once do not disturb each other, and of a killed one nothing is left', async () => {
	workspace.addPackage('a', { passed: 3, failed: 0, hang: true }, { 'test:int': 'int' });
	const killed = workspace.start([], environment);
	await expect.poll(() => workspace.hanging(), START_LIMIT).toHaveLength(1);
	const [theirs = ''] = workspace.hanging();
	const other = workspace.start([], environment);
	await expect.poll(() => workspace.hanging(), START_LIMIT).toHaveLength(2);
	const [ours = ''] = workspace.hanging().filter((path) => path !== theirs);
	const [theirServer, ourServer] = [theirs, ours].map(
		(path) => (JSON.parse(readFileSync(path, 'utf8')) as { kubeconfigPath: string }).kubeconfigPath,
	) as [string, string];
	expect(theirServer === ourServer).toBe(named !== undefined);

	killed.child.kill('SIGKILL');
	expect(await killed.exited).toBe('SIGKILL');
	const directories = [dirname(theirs), ...(named === undefined ? [dirname(theirServer)] : [])];
	await expect.poll(() => directories.filter((directory) => existsSync(directory))).toEqual([]);
	await expect.poll(() => directories.flatMap(processesNaming)).toEqual([]);

	const api = KubeApi.fromFile(ourServer);
	const kinds = await api.send('GET', '/apis/kubernaut.ai/v1alpha1');
	await api.close();
	expect(kinds.status).toBe(200);
	workspace.goOn();
	expect(await other.exited).toBe(0);
	expect(other.output()).toMatch(/\n {2}a test:int +3 passed +0 failed\n/);
	expect(other.output()).toMatch(/\n4 passed, 0 failed\n$/);
	expect(existsSync(dirname(ours))).toBe(false);
	expect(existsSync(ourServer)).toBe(named !== undefined);

	const cached = await workspace.run([], environment);
	expect(cached.code).toBe(0);
	expect(cached.output).not.toContain('Control plane:'); // nothing needs one
	expect(cached.output).toMatch(/\n4 passed, 0 failed\n$/);
}, 300_000);
