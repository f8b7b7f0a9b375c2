// What runs, for people.
import { isAlive } from '@kubernaut/workspace/process-identity';
import { type Instance, isUp } from '../running/instances.ts';

const HEAD = ['NAME', 'STATE', 'VERSION', 'AGE', 'ADDRESS', 'STAYS UNTIL', 'PROCESSES'];
const UNITS = [
	['d', 86_400],
	['h', 3_600],
	['min', 60],
	['s', 1],
] as const;

export function statusTable(instances: readonly Instance[], now = new Date()): string {
	const shown = instances.filter(isShown);
	if (shown.length === 0) return 'No control plane is running.';
	const rows = [HEAD, ...shown.map((instance) => row(instance, now))];
	const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
	return rows
		.map((cells) =>
			cells
				.map((cell, i) => cell.padEnd(widths[i]!))
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}

export function ageText(ms: number): string {
	const seconds = Math.max(0, Math.floor(ms / 1000));
	const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['s', 1];
	return `${Math.floor(seconds / size)} ${unit}`;
}

/** Directories of processes that are no control plane come and go with every test. */
function isShown({ kept, record, processes }: Instance): boolean {
	return kept || record !== undefined || processes.some(({ alive }) => alive);
}

function row(instance: Instance, now: Date): string[] {
	const { name, record, owner, kept, processes, startedAt } = instance;
	return [
		name,
		state(instance),
		record?.version ?? '-',
		ageText(now.getTime() - startedAt.getTime()),
		record?.url ?? '-',
		owner === undefined && kept ? 'down' : `process ${owner?.pid ?? '?'} ends`,
		processes.map(({ name: part, pid, alive }) => `${part} ${alive ? pid : 'ended'}`).join(', ') || '-',
	];
}

function state(instance: Instance): 'up' | 'starting' | 'running' | 'dead' {
	if (isUp(instance)) return 'up';
	if (instance.record !== undefined || instance.owner === undefined || !isAlive(instance.owner)) return 'dead';
	const isControlPlane = instance.kept || instance.processes.some(({ name }) => name === 'etcd');
	return isControlPlane ? 'starting' : 'running';
}
