// The file system of a node and the programs of other images, from Debian's packages.
// Bookworm, whatever the host runs: its systemd still boots on a host with cgroup v1.
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from '../engine/debian-packages.ts';
import { runProgram } from '../run-program.ts';
import { stage, stageFile } from './stage.ts';

const SUITE = 'bookworm';
/** As kind's own node image has them, without network storage; runc; and a busybox for the steps of pipelines. */
const PACKAGES = [
	'systemd,systemd-sysv,dbus',
	'conntrack,iptables,nftables,iproute2,ethtool,ebtables,socat,util-linux,mount,kmod',
	'libseccomp2,pigz,runc,e2fsprogs',
	'bash,ca-certificates,curl,jq,procps',
	'busybox-static',
].join(',');
const LEFT_OUT = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*'];

export function debianRootFile(): string {
	return stageFile('debian-root', [SUITE, PACKAGES, ...LEFT_OUT]);
}

export async function debianRoot(options: { signal?: AbortSignal } = {}): Promise<string> {
	const file = debianRootFile();
	if (!existsSync(file)) await installPackages(['mmdebstrap'], 'mmdebstrap', options);
	return stage('Collecting the packages of a node from Debian', file, async (work, update) => {
		const draft = join(work, 'root.tar');
		const excludes = LEFT_OUT.map((path) => `--dpkgopt=path-exclude=${path}`);
		const command = ['mmdebstrap', '--variant=minbase', ...excludes, `--include=${PACKAGES}`, SUITE, draft] as const;
		await runProgram(command, { onLine: (line) => update(line.replace(/^I: /, '').slice(0, 60)), ...options });
		renameSync(draft, file);
	});
}
