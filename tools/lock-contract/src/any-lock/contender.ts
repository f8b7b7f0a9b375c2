// A pod of an app as a real process, as far as its lock goes. Argument: one JSON object. It writes what it does to stdout,
// a JSON object per line; times are the machine's monotonic clock, which all processes share.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { kubeConfigFrom } from './kube-config.ts';
import type { AnyHeld, PortModule } from './lock-port.ts';
import { RecordedObserver } from './recorded-observer.ts';

export type ContenderArguments = {
	readonly port: { readonly module: string; readonly argument: unknown };
	readonly name: string;
	readonly namespace: string;
	readonly kubeconfig: string;
	readonly key: string;
	/** With "hold", one stay, and a line about it when stdin has one; else so many stays, from the first line of stdin on. */
	readonly work: { readonly rounds: number; readonly stayMs: number } | 'hold';
};

const RETRY_MS = 3;
/** The lock's own times may be short; a call that takes longer on a busy machine is no reason to end. */
const REQUEST_TIMEOUT_MS = 30_000;

const { port, name, namespace, kubeconfig, key, work } = JSON.parse(process.argv[2] ?? '') as ContenderArguments;
const { openPort } = (await import(port.module)) as PortModule;
const { lock, close } = (await openPort(port.argument)).start({
	name,
	namespace,
	kubeConfig: kubeConfigFrom(kubeconfig),
	requestTimeoutMs: REQUEST_TIMEOUT_MS,
	observer: new RecordedObserver(),
});

if (work === 'hold') await hold();
else await contend(work);
await lock.shutdown(5000);
await close();
process.exit(0);

async function contend({ rounds, stayMs }: { rounds: number; stayMs: number }): Promise<void> {
	say({ ready: true });
	await once(process.stdin, 'data');
	for (let done = 0; done < rounds; done++) {
		const held = await acquire();
		const entered = machineMs();
		await delay(stayMs);
		const left = machineMs();
		await lock.release(held);
		say({ who: name, entered, left, token: String(held.fencingToken) });
	}
}

async function hold(): Promise<void> {
	const held = (await acquire()) as AnyHeld & { readonly signal: AbortSignal; assertHeld(): void };
	say({ held: true });
	await once(process.stdin, 'data');
	say({ held: isHeld(held), aborted: held.signal.aborted });
}

async function acquire(): Promise<AnyHeld> {
	for (;;) {
		const acquisition = await lock.tryAcquire(key);
		if (acquisition.outcome === 'acquired') return acquisition.held;
		await delay(RETRY_MS);
	}
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
