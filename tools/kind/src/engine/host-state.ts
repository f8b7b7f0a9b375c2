// What a Docker engine and a kubelet change on the host, recorded before and put back after. The record is a file: when the
// run that made it was killed, the next one still knows what was there before.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProgram, tryProgram } from '../run-program.ts';

/** The kubelet's (the first six) and the engine's. Files below /proc/sys. */
export const SYSCTLS = [
	'vm/overcommit_memory',
	'vm/panic_on_oom',
	'kernel/panic',
	'kernel/panic_on_oops',
	'kernel/keys/root_maxkeys',
	'kernel/keys/root_maxbytes',
	'net/ipv4/ip_forward',
	'net/ipv6/conf/all/forwarding',
	'net/bridge/bridge-nf-call-iptables',
	'net/bridge/bridge-nf-call-ip6tables',
] as const;
const TABLES = ['iptables', 'ip6tables'] as const;

export type HostState = {
	/** Of the machine when it was recorded. A new start of the machine has put everything back. */
	readonly boot: string;
	readonly sysctls: Readonly<Record<string, string>>;
	/** As iptables-save prints them; a family without iptables is left out. */
	readonly tables: Readonly<Partial<Record<(typeof TABLES)[number], string>>>;
	readonly links: readonly string[];
};

/** What an earlier run recorded and did not put back counts: what is there now is of its making. */
export async function recordHostState(file: string): Promise<HostState> {
	const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
	const earlier = earlierRecord(file, boot);
	if (earlier !== undefined) return earlier;
	const state: HostState = {
		boot,
		sysctls: Object.fromEntries(SYSCTLS.flatMap((name) => readSysctl(name))),
		tables: Object.fromEntries(
			(await Promise.all(TABLES.map(async (table) => [table, await tryProgram([`${table}-save`])] as const))).filter(
				([, rules]) => rules !== undefined,
			),
		),
		links: await linkNames(),
	};
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(`${file}.draft`, JSON.stringify(state));
	renameSync(`${file}.draft`, file);
	return state;
}

/** Not of an earlier start of the machine: what was there then may have been changed on purpose since. */
export function earlierRecord(file: string, boot: string): HostState | undefined {
	if (!existsSync(file)) return undefined;
	const state = JSON.parse(readFileSync(file, 'utf8')) as HostState;
	return state.boot === boot ? state : undefined;
}

/** Sentences about what could not be put back. */
export async function restoreHostState(file: string): Promise<string[]> {
	if (!existsSync(file)) return [];
	const state = JSON.parse(readFileSync(file, 'utf8')) as HostState;
	const problems: string[] = [];
	const attempt = async (what: string, act: () => unknown) => {
		try {
			await act();
		} catch (error) {
			problems.push(`${what} could not be put back: ${(error as Error).message}`);
		}
	};
	for (const link of (await linkNames()).filter((name) => isOfEngine(name) && !state.links.includes(name)))
		await attempt(`the links without ${link}`, () => runProgram(['ip', 'link', 'delete', link]));
	for (const [table, rules] of Object.entries(state.tables))
		await attempt(`the rules of ${table}`, () =>
			runProgram([`${table}-restore`], { input: completeTables(rules ?? '') }),
		);
	for (const [name, value] of Object.entries(state.sysctls))
		if (readSysctl(name)[0]?.[1] !== value)
			await attempt(name, () => writeFileSync(join('/proc/sys', name), `${value}\n`));
	if (problems.length === 0) rmSync(file, { force: true });
	return problems;
}

/** `iptables-save` leaves out tables that have no rules: an empty one puts back that there were none. */
export function completeTables(rules: string): string {
	const chains = {
		filter: ['INPUT', 'FORWARD', 'OUTPUT'],
		nat: ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'],
	};
	const missing = Object.entries(chains).filter(([table]) => !rules.includes(`*${table}\n`));
	const empty = missing.map(
		([table, names]) => `*${table}\n${names.map((name) => `:${name} ACCEPT [0:0]`).join('\n')}\nCOMMIT`,
	);
	return `${[rules.trim(), ...empty].filter(Boolean).join('\n')}\n`;
}

/** Bridges and cable ends that Docker makes. */
function isOfEngine(name: string): boolean {
	return name === 'docker0' || /^br-[0-9a-f]{12}$/.test(name) || /^veth[0-9a-f]{7}$/.test(name);
}

async function linkNames(): Promise<string[]> {
	const links = JSON.parse((await runProgram(['ip', '-json', 'link', 'show'])) || '[]') as { ifname: string }[];
	return links.map(({ ifname }) => ifname);
}

function readSysctl(name: string): [string, string][] {
	try {
		return [[name, readFileSync(join('/proc/sys', name), 'utf8').trim()]];
	} catch {
		return []; // this kernel has no such setting
	}
}
