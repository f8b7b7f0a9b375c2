// `npm run control-plane -- <command>`: a real API server by hand.
// Exit codes: 0 done, or already so; 1 it failed, or there is no such control plane; 2 wrong usage; 130 or 143
// interrupted, and what was started is cleaned up.
import { once } from 'node:events';
import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander';
import type { CommandContext } from './commands/command-context.ts';
import { down } from './commands/down.ts';
import { logNames, writeLogs } from './commands/logs.ts';
import { statusTable } from './commands/status-table.ts';
import { findPart } from './parts/find-part.ts';
import { obtainPart } from './parts/obtain-part.ts';
import { PART_NAMES, type PartName } from './parts/parts.ts';
import { findInstance, type Instance, listInstances } from './running/instances.ts';
import { sweep } from './running/owned-directory.ts';

const DEFAULT_NAME = 'default';
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
const ME = 'npm run control-plane --';

const controller = new AbortController();
let interruptedBy: keyof typeof SIGNALS | undefined;
// Not `once`: libraries that find no listener but their own (testcontainers brings one) end the process themselves.
for (const name of Object.keys(SIGNALS) as (keyof typeof SIGNALS)[])
	process.on(name, () => {
		// A second signal ends the wait; the watchdogs clean up then.
		if (interruptedBy !== undefined) process.exit(128 + SIGNALS[name]);
		interruptedBy = name;
		controller.abort();
	});
// `logs | head` is no failure.
process.stdout.on('error', () => process.exit(0));

const context: CommandContext = {
	environment: process.env,
	signal: controller.signal,
	say: (line) => console.error(line),
};

const program = new Command(ME)
	.description('A real Kubernetes API server with its etcd on this machine, for tests and for trying things out.')
	.helpOption('--help', 'this page')
	.helpCommand(false)
	.configureHelp({ showGlobalOptions: true })
	.exitOverride();

program
	.command('up')
	.description('Start a control plane that stays until `down`. Says so when it is up already.')
	.option('--name <name>', 'name of the control plane; several can be up', instanceName, DEFAULT_NAME)
	.option('--audit', 'keep the API server’s audit log')
	.option('--tekton', 'with Tekton, and simulated nodes that play the pods of its TaskRuns')
	.option('--kubeconfig <file>', 'use the API server that this file names (made for tests, 1.35 or later)')
	.action(async (options: { name: string; audit?: true; tekton?: true; kubeconfig?: string }) => {
		const { name, audit, tekton, kubeconfig } = options;
		const { up } = await import('./commands/up.ts'); // the clients that it needs take most of a second to load
		const { record, already, attached } = await up(
			name,
			{ auditLog: audit ?? false, tekton: tekton ?? false, ...(kubeconfig && { kubeconfig }) },
			context,
		);
		const option = name === DEFAULT_NAME ? '' : ` --name ${name}`;
		console.log(already ? `"${name}" is up already: ${record.description}` : record.description);
		if (already && audit && !record.auditLog) console.log('It keeps no audit log: `down` first, then `up --audit`.');
		if (already && tekton && !record.tekton) console.log('It has no Tekton: `down` first, then `up --tekton`.');
		console.log(`  kubectl --kubeconfig "$(${ME.replace('run', 'run -s')} kubeconfig${option})" get namespaces`);
		if (attached === undefined) return console.log(`  ${ME} down${option}`);
		console.log('It lives in a container that ends with this command: Ctrl-C, or `down` from elsewhere, stops it.');
		if (!controller.signal.aborted) await once(controller.signal, 'abort');
		await attached.stop();
	});

program
	.command('down')
	.description('Stop a control plane and remove its files. No error when it is not up.')
	.option('--name <name>', 'name of the control plane', instanceName)
	.option('--all', 'all control planes that are up')
	.action(async ({ name, all }: { name?: string; all?: true }, command: Command) => {
		if (name !== undefined && all) command.error("error: options '--name' and '--all' exclude each other");
		await sweep();
		const kept = listInstances()
			.filter((instance) => instance.kept)
			.map((instance) => instance.name);
		const names = all ? kept : [name ?? DEFAULT_NAME];
		if (names.length === 0) console.log('No control plane is up.');
		for (const each of names)
			console.log((await down(each, context)) ? `"${each}" is down.` : `There is no control plane "${each}".`);
	});

program
	.command('status')
	.description('List running control planes: those that `up` started, and those of test runs and other commands.')
	.action(async () => {
		await sweep();
		console.log(statusTable(listInstances()));
	});

program
	.command('kubeconfig')
	.description('Print the path of its kubeconfig: kubectl --kubeconfig "$(…)"')
	.option(
		'--name <name>',
		'name of the control plane; also one of a test run, as `status` lists it',
		instanceName,
		DEFAULT_NAME,
	)
	.action(({ name }: { name: string }) => {
		const { record } = existing(name);
		if (record === undefined) throw new Error(`"${name}" is not ready yet.`);
		console.log(record.kubeconfigPath);
	});

program
	.command('logs')
	.description('Print the logs of its processes.')
	.argument('[part]', 'etcd, kube-apiserver, ...; default all, each line with its part in front')
	.option(
		'--name <name>',
		'name of the control plane; also one of a test run, as `status` lists it',
		instanceName,
		DEFAULT_NAME,
	)
	.option('--follow', 'follow the logs until Ctrl-C or `down`')
	.action(async (part: string | undefined, { name, follow }: { name: string; follow?: true }) => {
		const { directory } = existing(name);
		const names = logNames(directory);
		if (part !== undefined && !names.includes(part))
			throw new Error(`"${name}" has no log of "${part}"; it has: ${names.join(', ') || 'none'}.`);
		const write = (text: string) => void process.stdout.write(text);
		await writeLogs(directory, part === undefined ? names : [part], write, follow && controller.signal);
	});

program
	.command('build')
	.description('Find the programs, or build them from source into the cache, so that later starts are quick.')
	.addArgument(new Argument('[parts...]', 'programs; default etcd and kube-apiserver').choices(PART_NAMES))
	.option('--all', 'every program, also those that only some tests use (Tekton) or none (prometheus, promtool)')
	.action(async (named: PartName[], { all }: { all?: true }, command: Command) => {
		if (all && named.length > 0) command.error("error: '--all' and names of programs exclude each other");
		const parts = all ? PART_NAMES : named.length > 0 ? named : (['etcd', 'kube-apiserver'] as const);
		for (const part of parts) {
			const path = await obtainPart(part, { signal: controller.signal });
			const search = findPart(part);
			console.log(`${part} ${'found' in search ? search.found.version : ''} ${path}`);
		}
	});

try {
	await program.parseAsync();
	if (interruptedBy !== undefined) process.exitCode = 128 + SIGNALS[interruptedBy];
} catch (error) {
	if (error instanceof CommanderError)
		process.exitCode = error.exitCode === 0 ? 0 : 2; // it has said why
	else if (interruptedBy !== undefined) {
		console.error('Interrupted; what was started is stopped and removed.');
		process.exit(128 + SIGNALS[interruptedBy]); // at once: an abandoned pull would keep the process alive
	} else {
		console.error(error instanceof Error ? error.message : String(error));
		process.exitCode = 1;
	}
}

function existing(name: string): Instance {
	const instance = findInstance(name);
	const option = name === DEFAULT_NAME ? '' : ` --name ${name}`;
	if (instance === undefined) throw new Error(`There is no control plane "${name}"; start it: ${ME} up${option}`);
	return instance;
}

function instanceName(text: string): string {
	if (/^[a-z0-9](?:[-a-z0-9]{0,38}[a-z0-9])?$/.test(text)) return text;
	throw new InvalidArgumentError('Up to 40 small letters, digits and dashes, with no dash at either end.');
}
