// Called before runc, with runc's own arguments: takes the capabilities out of the container's (or process's) settings
// that this machine's bounding set lacks. Plain JavaScript without imports of ours: it is copied beside the engine.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// In the order of their numbers, as the kernel's capability.h has them.
export const CAPABILITIES = [
	'CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE',
	'NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN',
	'SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE',
	'MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE',
]
	.flatMap((line) => line.split(' '))
	.map((name) => `CAP_${name}`);

/**
 * The names that a bounding set has.
 * @param {string} status as /proc/self/status has it
 */
export function boundingNames(status) {
	const set = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`);
	return new Set(CAPABILITIES.filter((_, number) => (set >> BigInt(number)) & 1n));
}

/**
 * @param {any} settings an OCI config.json, or the process.json of `runc exec`
 * @param {Set<string>} have
 */
export function withoutMissing(settings, have) {
	const capabilities = settings.process?.capabilities ?? settings.capabilities;
	for (const name of Object.keys(capabilities ?? {}))
		capabilities[name] = capabilities[name].filter((/** @type {string} */ capability) => have.has(capability));
	return settings;
}

/** @param {readonly string[]} args */
function settingsFile(args) {
	const after = (/** @type {string[]} */ ...names) => {
		const at = args.findIndex((arg) => names.includes(arg));
		return at === -1 ? undefined : args[at + 1];
	};
	const bundle = after('--bundle', '-b');
	return bundle === undefined ? after('--process', '-p') : join(bundle, 'config.json');
}

if (process.argv[1]?.endsWith('drop-capabilities.mjs')) {
	const file = settingsFile(process.argv.slice(2));
	if (file !== undefined && existsSync(file)) {
		const settings = JSON.parse(readFileSync(file, 'utf8'));
		const have = boundingNames(readFileSync('/proc/self/status', 'utf8'));
		writeFileSync(file, JSON.stringify(withoutMissing(settings, have)));
	}
}
