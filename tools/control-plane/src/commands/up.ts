// Starts a control plane that has a name and outlives the command.
import { stopOwned } from '@kubernaut/workspace/owned-processes';
import { findKept, type InstanceRecord, isUp, writeInstanceRecord } from '../running/instances.ts';
import { openKeptDirectory, sweep } from '../running/owned-directory.ts';
import { type ControlPlane, startControlPlane } from '../server/control-plane.ts';
import { alone, type CommandContext } from './command-context.ts';

type UpOptions = { kubeconfig?: string; auditLog?: boolean; tekton?: boolean };
type UpResult = {
	record: InstanceRecord;
	already: boolean;
	/** It ends with this process (a container does): the caller must stay, and stop it. */
	attached?: ControlPlane;
};

export async function up(name: string, options: UpOptions, context: CommandContext): Promise<UpResult> {
	await sweep(context.environment);
	return alone(name, context, async () => {
		const before = findKept(name, context.environment);
		if (before?.record !== undefined && isUp(before)) return { record: before.record, already: true };
		if (before !== undefined) {
			context.say(`"${name}" was not stopped but does not run any more; starting it anew, empty.`);
			await stopOwned(before.directory);
		}
		return start(name, options, context);
	});
}

async function start(name: string, options: UpOptions, { environment, signal }: CommandContext): Promise<UpResult> {
	const directory = openKeptDirectory(name, environment);
	try {
		const controlPlane = await startControlPlane({ ...options, directory, environment, signal });
		const { source, description, version, url, kubeconfigPath } = controlPlane;
		const auditLog = controlPlane.auditLog !== undefined;
		const record = { source, description, version, url, kubeconfigPath, auditLog, tekton: options.tekton ?? false };
		if (source === 'k3s') return { record, already: false, attached: controlPlane };
		if (source === 'kubeconfig') writeInstanceRecord(directory.path, record); // not ours: only remembered
		signal.throwIfAborted();
		directory.keep();
		return { record, already: false };
	} catch (error) {
		await directory.close();
		throw error;
	}
}
