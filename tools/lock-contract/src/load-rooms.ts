// The rooms of a lock by where they lie: for a lock that is not known before, a mutant's, and for processes.
import type { LockDirectories, LockRooms } from './contract-types.ts';

/** What a process needs to take part; less, because it starts sooner. */
export async function loadLock({
	lock,
	others,
}: LockDirectories): Promise<Pick<LockRooms, 'lock' | 'client' | 'kube'>> {
	return {
		lock: await load<'lock'>(lock, 'distributed-lock.ts'),
		client: await load<'client'>(lock, 'lock/lease-client.ts'),
		kube: await load<'kube'>(others, 'kube/kube.ts'),
	};
}

export async function loadRooms(directories: LockDirectories): Promise<LockRooms> {
	const { lock } = directories;
	return {
		directories,
		...(await loadLock(directories)),
		metrics: await load<'metrics'>(lock, 'metrics.ts'),
		identity: await load<'identity'>(lock, 'process/identity.ts'),
	};
}

function load<R extends keyof LockRooms>(directory: URL, file: string): Promise<LockRooms[R]> {
	return import(/* @vite-ignore */ new URL(file, directory).href) as Promise<LockRooms[R]>;
}
