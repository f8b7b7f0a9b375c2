// A pod of an app as a real process, as far as its lock goes. Arguments: one JSON object. What it does it writes down,
// a JSON object per line; times are the machine's monotonic clock, which all processes share.
import { setTimeout as delay } from 'node:timers/promises';
import type { ContractLockOptions, ContractObserver } from './contract-types.ts';
import { loadLock } from './load-rooms.ts';

export type ContenderArguments = {
	readonly app: string;
	readonly namespace: string;
	readonly kubeconfig: string;
	readonly directories: { readonly lock: string; readonly others: string };
	readonly options: ContractLockOptions;
	readonly key: string;
	/** So many stays of `stayMs` each; with "hold", one stay in which a line is written every time stdin has one. */
	readonly work: { readonly rounds: number; readonly stayMs: number } | 'hold';
};

const RETRY_MS = 3;
const CALL_LIMIT_MS = 30_000;
const SILENT: ContractObserver = {
	attempted() {},
	acquired() {},
	contended() {},
	failed() {},
	released() {},
	releaseFailed() {},
	lost() {},
	swept() {},
	waiting() {},
};

const { app, namespace, kubeconfig, directories, options, key, work } = JSON.parse(
	process.argv[2] ?? '',
) as ContenderArguments;
const rooms = await loadLock({ lock: new URL(directories.lock), others: new URL(directories.others) });
// The lock's own times may be short; a call that takes longer on a busy machine is no reason to end.
const kube = rooms.kube.createKubeClient(rooms.kube.loadKubeConfig(kubeconfig), CALL_LIMIT_MS, { called() {} });
const { DistributedLock } = rooms.lock;
const clock = {
	now: () => performance.now(),
	wallTime: () => new Date(),
	setTimer(onElapsed: () => void, delayMs: number) {
		const timer = setTimeout(onElapsed, delayMs);
		return () => clearTimeout(timer);
	},
};
const lock = new DistributedLock(options, rooms.client.createLeaseClient(kube, namespace, app), clock, SILENT);

if (work === 'hold') await hold();
else await contend(work);
await lock.shutdown(5000);
await kube.close();
process.exit(0);

async function contend({ rounds, stayMs }: { rounds: number; stayMs: number }): Promise<void> {
	for (let done = 0; done < rounds; ) {
		const result = await lock.withLock(key, async ({ fencingToken }) => {
			const entered = machineMs();
			await delay(stayMs);
			return { who: options.podName, entered, left: machineMs(), token: String(fencingToken) };
		});
		if (result.outcome === 'ran') {
			done++;
			say(result.value);
		} else await delay(RETRY_MS);
	}
}

async function hold(): Promise<void> {
	await lock.withLock(key, async (held) => {
		say({ held: true });
		for await (const _ of process.stdin) {
			say({ held: isHeld(held), aborted: held.signal.aborted });
			return;
		}
	});
}

function isHeld(held: { assertHeld(): void }): boolean {
	try {
		held.assertHeld();
		return true;
	} catch {
		return false;
	}
}

function machineMs(): number {
	return Number(process.hrtime.bigint()) / 1e6;
}

function say(line: object): void {
	process.stdout.write(`${JSON.stringify(line)}\n`);
}
