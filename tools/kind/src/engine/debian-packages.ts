// Programs from Debian's packages, when they are missing. Packages stay when the run is over; what they start does not.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgress } from '@kubernaut/workspace/progress';
import { runProgram, tryProgram } from '../run-program.ts';

/** A Debian asks this file whether a package may start its services. */
const POLICY = '/usr/sbin/policy-rc.d';
const REFUSAL = '#!/bin/sh\n# Of a kubernaut run that installs packages; it goes with it.\nexit 101\n';
const UNITS = '/lib/systemd/system';

/** `units`: that these packages bring, and that would run from now on, also after the next boot. */
export async function installPackages(
	packages: readonly string[],
	program: string,
	{ units = [], ...options }: { signal?: AbortSignal; units?: readonly string[] } = {},
): Promise<void> {
	if ((await tryProgram(['sh', '-c', `command -v ${program}`])) !== undefined) return;
	const progress = startProgress(`Installing ${packages.join(', ')} with apt`);
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
	const apt = ['apt-get', '-o', 'DPkg::Lock::Timeout=600', '-qq'] as const;
	const ofOthers = units.filter((unit) => existsSync(join(UNITS, unit)));
	try {
		await runProgram([...apt, 'update'], { env, ...options });
		await withoutServices(POLICY, () =>
			runProgram([...apt, 'install', '-y', '--no-install-recommends', ...packages], { env, ...options }),
		);
		for (const unit of units.filter((name) => !ofOthers.includes(name)))
			await tryProgram(['systemctl', '--quiet', 'disable', unit]);
		progress.stop('done');
	} finally {
		progress.stop('failed');
	}
}

/** With systemd, packages start their services whatever the run level is, unless this file forbids it. */
export async function withoutServices<T>(policy: string, install: () => Promise<T>): Promise<T> {
	const isOurs = !existsSync(policy) || readFileSync(policy, 'utf8') === REFUSAL; // a killed run leaves its own
	if (isOurs) writeFileSync(policy, REFUSAL, { mode: 0o755 });
	try {
		return await install();
	} finally {
		if (isOurs) rmSync(policy, { force: true });
	}
}
