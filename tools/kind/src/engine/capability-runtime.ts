// A container runtime that asks for the capabilities that this machine has. `docker run --privileged` asks for all that
// the kernel knows, and runc refuses those outside of the machine's bounding set: virtual machines and containers that
// themselves lack one could not run kind otherwise.
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DROP = join(dirname(fileURLToPath(import.meta.url)), 'drop-capabilities.mjs');

/** Number of the last capability → whether the bounding set lacks one of them. */
export function lacksCapabilities(status: string, last: number): boolean {
	const bounding = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? 'ffffffffffffffff'}`);
	const all = (1n << BigInt(last + 1)) - 1n;
	return (bounding & all) !== all;
}

export function machineLacksCapabilities(): boolean {
	const last = Number(readFileSync('/proc/sys/kernel/cap_last_cap', 'utf8'));
	return lacksCapabilities(readFileSync('/proc/self/status', 'utf8'), last);
}

/** The path of the runtime, for dockerd. Beside it lies what it calls: the directory must outlive the engine. */
export function writeCapabilityRuntime(directory: string, runc: string): string {
	const drop = join(directory, 'drop-capabilities.mjs');
	copyFileSync(DROP, drop);
	const path = join(directory, 'runc-with-the-capabilities-there-are');
	const script = [
		'#!/bin/sh',
		'case " $* " in *" create "*|*" run "*|*" exec "*)',
		`  ${quote(process.execPath)} ${quote(drop)} "$@" || exit 1 ;;`,
		'esac',
		`exec ${quote(runc)} "$@"`,
	];
	writeFileSync(path, `${script.join('\n')}\n`);
	chmodSync(path, 0o755);
	return path;
}

function quote(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
