import { existsSync, globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubeApi, startControlPlane } from '../src/index.ts';
import { sendSignal } from '../src/running/send-signal.ts';
import {
	environmentWithBinaries,
	processesNaming,
	removeWithProcesses,
	type Script,
	startCli,
	temporaryDirectory,
} from './scripts.ts';

/** Silent on a quick machine, one or two lines on a slow one. */
const ONLY_PROGRESS = /^(?:Starting .*\n)*$/;

const cache = temporaryDirectory();
const kept = join(cache, 'kept');
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
	environment = await environmentWithBinaries(cache);
});
afterAll(() => removeWithProcesses(cache));

const start = (...args: string[]): Script => startCli(args, environment);

async function run(...args: string[]): Promise<{ code: number | string; output: string; errors: string }> {
	const script = start(...args);
	const code = await script.exited;
	return { code, output: script.output(), errors: script.errors() };
}

async function left(): Promise<string[]> {
	return [...(existsSync(kept) ? readdirSync(kept) : []), ...processesNaming(kept).map(({ command }) => command)];
}

it('from up to down', async () => {
	const up = await run('up', '--audit');
	expect(up).toMatchObject({ code: 0, errors: expect.stringMatching(ONLY_PROGRESS) });
	expect(up.output).toMatch(/^Kubernetes 1\.\d+\.\d+ at https:\/\/127\.0\.0\.1:\d+, /);
	const url = /https:\S+(?=,)/.exec(up.output)?.[0];
	expect(await run('up')).toMatchObject({
		code: 0,
		output: expect.stringMatching(/^"default" is up already: Kubernetes/),
	});

	const status = await run('status');
	const row = status.output.split('\n')[1];
	expect(row).toMatch(/^default +up +1\.\d+\.\d+ +\d+ (s|min) +https:\S+ +down +etcd \d+, kube-apiserver \d+$/);
	expect(row).toContain(url);

	const kubeconfig = await run('kubeconfig');
	const api = KubeApi.fromFile(kubeconfig.output.trim());
	expect(api.server).toBe(url);
	expect(await api.call('GET', '/api/v1/namespaces/kube-system')).toMatchObject({ kind: 'Namespace' });
	await api.close();

	expect((await run('logs', 'etcd')).output).toMatch(/^\{"level":/);
	expect((await run('logs')).output).toMatch(/^etcd \| [^]*^kube-apiserver \| /m);
	expect(await run('logs', 'scheduler')).toMatchObject({
		code: 1,
		errors: '"default" has no log of "scheduler"; it has: etcd, kube-apiserver.\n',
	});
	expect(existsSync(join(kept, 'default', 'audit.jsonl'))).toBe(true);

	const following = start('logs', 'kube-apiserver', '--follow');
	await expect.poll(() => following.output()).toContain('Serving securely');
	expect(await run('down')).toEqual({ code: 0, output: '"default" is down.\n', errors: '' });
	expect(await following.exited).toBe(0);
	await expect.poll(left).toEqual([]);
	expect(await run('down')).toMatchObject({ code: 0, output: 'There is no control plane "default".\n' });
	expect((await run('status')).output).toBe('No control plane is running.\n');
});

describe('up', () => {
	it('twice at once starts one', async () => {
		const both = await Promise.all([run('up', '--name', 'same'), run('up', '--name', 'same')]);
		expect(both.map(({ code }) => code)).toEqual([0, 0]);
		expect(both.filter(({ output }) => output.includes('is up already'))).toHaveLength(1);
		expect(processesNaming(kept).filter(({ command }) => command.includes('--secure-port'))).toHaveLength(1);
	});

	it('of another name starts another, and down --all ends both', async () => {
		await run('up', '--name', 'other');
		const { output } = await run('status');
		expect(output.split('\n').filter((line) => / up /.test(line))).toHaveLength(2);
		expect(await run('down', '--all')).toMatchObject({ code: 0, output: '"other" is down.\n"same" is down.\n' });
		await expect.poll(left).toEqual([]);
	});

	it('starts anew what has died', async () => {
		await run('up', '--name', 'mortal');
		for (const { pid } of processesNaming(join(kept, 'mortal'))) sendSignal(pid, 'SIGKILL');
		await expect.poll(async () => (await run('status')).output).toMatch(/^mortal +dead /m);
		const again = await run('up', '--name', 'mortal');
		expect(again).toMatchObject({ code: 0, output: expect.stringMatching(/^Kubernetes/) });
		expect(again.errors).toContain('"mortal" was not stopped but does not run any more');
		expect((await run('status')).output).toMatch(/^mortal +up /m);
		await run('down', '--name', 'mortal');
	});

	it.each([
		{ signal: 'SIGINT', want: 130 },
		{ signal: 'SIGTERM', want: 143 },
		{ signal: 'SIGKILL', want: 'SIGKILL' },
	] as const)('that gets $signal leaves nothing, and the name is free', async ({ signal, want }) => {
		const starting = start('up', '--name', 'interrupted');
		// Recorded, not only running: between the two nothing is guaranteed.
		await expect.poll(() => globSync(join(kept, '*', 'processes', '*-kube-apiserver.json'))).not.toEqual([]);
		starting.child.kill(signal);
		expect(await starting.exited).toBe(want);
		await expect.poll(left).toEqual([]);
		expect(await run('down', '--name', 'interrupted')).toMatchObject({ code: 0 });
	});

	it('of a server that is there already only remembers it', async () => {
		const theirs = await startControlPlane({ environment });
		const named = ['--name', 'theirs'];
		expect(await run('up', ...named, '--kubeconfig', theirs.kubeconfigPath)).toMatchObject({
			code: 0,
			errors: expect.stringMatching(ONLY_PROGRESS),
		});
		expect((await run('kubeconfig', ...named)).output).toBe(`${theirs.kubeconfigPath}\n`);
		expect((await run('status')).output).toMatch(/^theirs +up .* down +-$/m);
		await run('down', ...named);
		const api = KubeApi.fromFile(theirs.kubeconfigPath);
		expect(await api.send('GET', '/readyz')).toMatchObject({ status: 200 });
		await api.close();
		await theirs.stop();
	});
});

describe('status', () => {
	it('status lists control planes of other processes; kubeconfig and logs take their names', async () => {
		const ours = await startControlPlane({ environment });
		const row = (await run('status')).output.split('\n')[1];
		const name = row?.split(' ')[0] ?? '';
		expect(row).toMatch(new RegExp(` up .* ${ours.url} +process ${process.pid} ends `));
		expect((await run('kubeconfig', '--name', name)).output).toBe(`${ours.kubeconfigPath}\n`);
		expect((await run('logs', 'etcd', '--name', name)).output).not.toBe('');
		expect((await run('down', '--all')).output).toBe('No control plane is up.\n');
		expect(existsSync(ours.directory!)).toBe(true);
		await ours.stop();
	});
});

describe('wrong usage', () => {
	it.each([
		{ args: [], want: /^Usage: / },
		{ args: ['upp'], want: /unknown command 'upp'/ },
		{ args: ['up', '--fast'], want: /unknown option '--fast'/ },
		{ args: ['up', '--name', '../x'], want: /argument '\.\.\/x' is invalid/ },
		{ args: ['down', '--all', '--name', 'x'], want: /'--name' and '--all' exclude each other/ },
		{ args: ['build', 'etcd', '--all'], want: /'--all' and names of programs exclude each other/ },
		{ args: ['build', 'no-such-part'], want: /Allowed choices are etcd, kube-apiserver/ },
	])('$args ends with 2 and says why', async ({ args, want }) => {
		expect(await run(...args)).toMatchObject({ code: 2, output: '', errors: expect.stringMatching(want) });
	});

	it.each([
		['--help'],
		['up', '--help'],
		['down', '--help'],
		['status', '--help'],
		['kubeconfig', '--help'],
		['logs', '--help'],
		['build', '--help'],
	])('%s %s helps', async (...args) => {
		expect(await run(...args)).toMatchObject({
			code: 0,
			output: expect.stringMatching(/^Usage: npm run control-plane -- /),
		});
	});

	it('a missing control plane is an error, and kubeconfig prints nothing but a path', async () => {
		expect(await run('kubeconfig', '--name', 'missing')).toEqual({
			code: 1,
			output: '',
			errors: 'There is no control plane "missing"; start it: npm run control-plane -- up --name missing\n',
		});
	});
});

it('build finds what is there', async () => {
	const { code, output } = await run('build');
	expect(code).toBe(0);
	expect(output).toMatch(
		/^etcd 3\.\d+\.\d+ .*\/assets\/etcd\nkube-apiserver 1\.\d+\.\d+ .*\/assets\/kube-apiserver\n$/,
	);
});
