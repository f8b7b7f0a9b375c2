// The modules of a lock by their folder: for mutants, which are written while the suite runs, and for processes.
import type { LockDirectories, LockModules } from './lock-modules.ts';

/** As few as a process needs to take part: it starts sooner. */
export async function loadLock({
	lock,
	others,
}: LockDirectories): Promise<Pick<LockModules, 'lock' | 'client' | 'kube'>> {
	return {
		lock: await load<'lock'>(lock, 'distributed-lock.ts'),
		client: await load<'client'>(lock, 'lock/lease-client.ts'),
		kube: await load<'kube'>(others, 'kube/kube.ts'),
	};
}

export async function loadModules(directories: LockDirectories): Promise<LockModules> {
	const { lock } = directories;
	return {
		directories,
		...(await loadLock(directories)),
		metrics: await load<'metrics'>(lock, 'metrics.ts'),
		identity: await load<'identity'>(lock, 'process/identity.ts'),
	};
}

function load<R extends keyof LockModules>(directory: URL, file: string): Promise<LockModules[R]> {
	return import(/* @vite-ignore */ new URL(file, directory).href) as Promise<LockModules[R]>;
}
