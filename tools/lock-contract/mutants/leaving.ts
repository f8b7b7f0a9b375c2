// Bugs in letting go: release, lost answers, abort, sweeping, shutdown, and what is left behind.
import { type Mutant, mutant } from '../src/mutant.ts';

const LOCK = 'lock/lease-lock.ts';
const PROTOCOL = 'lock/lease-protocol.ts';
const CLIENT = 'lock/lease-client.ts';
const QUEUE = 'lock/lock-queue.ts';
const SWEEPER = 'lock/lease-sweeper.ts';
const OBSERVATIONS = 'lock/lease-observations.ts';
const METRICS = 'lock/lock-metrics.ts';

export const LEAVING: readonly Mutant[] = [
	mutant('L11', 'releases by name', CLIENT, '{ preconditions: { uid, resourceVersion } }', '{}'),
	mutant(
		'L11',
		"releases by uid, which a successor's takeover has kept",
		CLIENT,
		'{ preconditions: { uid, resourceVersion } }',
		'{ preconditions: { uid } }',
	),
	mutant(
		'L11',
		'releases when the caller has left, while the work still runs',
		LOCK,
		"			return { outcome: 'ran', value: await run(acquisition.held) };",
		`			signal?.addEventListener('abort', () => void this.release(acquisition.held));
			return { outcome: 'ran', value: await run(acquisition.held) };`,
	),
	mutant(
		'L11',
		'does not release for a caller that has left',
		LOCK,
		'			setImmediate(() => void this.release(acquisition.held));',
		'			if (!signal?.aborted) setImmediate(() => void this.release(acquisition.held));',
	),
	mutant(
		'L11',
		'a release that fails hides the result of the work',
		LOCK,
		'			setImmediate(() => void this.release(acquisition.held));',
		`			const { renewal } = this.#holdings.get(this.leaseName(key)) as Holding;
			await this.#protocol.remove(await renewal.stop(), acquisition.held.holder);`,
	),
	mutant(
		'L11',
		'a release that fails is told to nobody',
		LOCK,
		'			this.#observer.releaseFailed({ key, holder, error });\n',
		'',
	),
	mutant('L11', 'does not wait for a renewal in flight', 'lock/lease-renewal.ts', '			await renewing;\n', ''),
	mutant(
		'L11',
		'gives up on a version that it does not know, though it is its own',
		PROTOCOL,
		"if (answer === 'removed' || answer === 'gone')",
		"if (answer !== 'unanswered')",
	),
	mutant(
		'L11',
		'a release that failed is not made good',
		LOCK,
		'			this.#sweeper.abandon(holder, this.leaseName(key));\n',
		'',
	),
	mutant(
		'L12',
		'takes a lost answer for a failure',
		PROTOCOL,
		'await this.#client.read(write.name).catch(() => undefined); // the first fault tells more',
		'undefined as Lease | undefined;',
	),
	mutant(
		'L12',
		'does not look for a create that may land late',
		PROTOCOL,
		'			this.#abandon(write.holder, write.name);\n',
		'',
	),
	mutant(
		'L12',
		'removes a late create by its name, whoever holds it',
		SWEEPER,
		'if (lease?.holder === holder)',
		'if (lease !== undefined)',
	),
	mutant(
		'L12',
		'does not recognise a late create when the watch shows it',
		SWEEPER,
		'if (lease.holder !== undefined && this.#abandoned.has(lease.holder))',
		'if (lease.holder === undefined)',
	),
	mutant(
		'L12',
		'takes a lost answer to its delete for a failure',
		PROTOCOL,
		"				return 'unanswered' as const;",
		'				throw error;',
	),
	mutant(
		'L14',
		'one waiter that leaves takes the others along',
		QUEUE,
		'				waiter.sendAway(signal?.reason);',
		'				for (const each of [waiter, ...line.splice(0)]) each.sendAway(signal?.reason);',
	),
	mutant(
		'L14',
		'a waiter that leaves is kept in line',
		QUEUE,
		"			signal?.addEventListener('abort', leaveLine, { once: true });",
		'',
	),
	mutant(
		'L14',
		'a caller that leaves is kept until the API server has answered',
		LOCK,
		'(signal === undefined ? attempt : orAborted(attempt, signal))',
		'attempt',
	),
	mutant(
		'L14',
		'a caller that left is handed the lock, which nobody then releases',
		LOCK,
		'		signal?.throwIfAborted();\n',
		'',
	),
	mutant(
		'L14',
		'the place passes on before the release has settled',
		LOCK,
		'		holding.releasing = true;',
		'		holding.releasing = true;\n		holding.place.leave();',
	),
	mutant('L16', 'does not sweep', SWEEPER, 'await this.#tryRemove(observation.lease);', 'return;'),
	mutant(
		'L16',
		'sweeps whatever has the name now, alive or not',
		SWEEPER,
		'await this.#client.remove(lease);',
		'await this.#client.remove((await this.#client.read(lease.name)) ?? lease);',
	),
	mutant('L16', "sweeps other apps' leases", SWEEPER, 'lease.name.startsWith(this.#config.prefix)', 'true'),
	mutant(
		'L16',
		'sweeps after a single duration',
		SWEEPER,
		'honouredDurationMs(lease, this.#config) * this.#config.sweepAfterDurations',
		'honouredDurationMs(lease, this.#config)',
	),
	mutant('L16', 'sweeps once and never again', SWEEPER, '				if (!this.#stopped) this.start();\n', ''),
	{
		rule: 'L17',
		bug: 'the key is a label of a metric',
		changes: [
			{
				file: METRICS,
				old: "help: 'Attempts that did not: another holds it (contention), or the API server failed (api_error)',\n		labelNames: ['reason'],",
				new: "help: 'Attempts that did not',\n		labelNames: ['reason', 'key'],",
			},
			{
				file: METRICS,
				old: "contended: () => failures.inc({ reason: 'contention' }),",
				new: "contended: ({ key }) => failures.inc({ reason: 'contention', key }),",
			},
		],
	},
	mutant(
		'L17',
		'reasons of loss appear only with the first loss',
		METRICS,
		'	for (const reason of LOSSES) lost.inc({ reason }, 0);\n',
		'',
	),
	mutant(
		'L17',
		'contention inside the process is counted nowhere',
		LOCK,
		'		this.#observer.attempted();\n		this.#observer.contended({ key, holder });\n',
		'',
	),
	mutant('L17', 'releases are not counted', LOCK, '			this.#observer.released({', '			void ({'),
	mutant(
		'L17',
		'one loss is told many times',
		'lock/lease-renewal.ts',
		'if (end(loss)) onLost(loss);',
		'end(loss);\n		onLost(loss);',
	),
	mutant(
		'L18',
		'a shutdown leaves leases behind',
		LOCK,
		'		await Promise.all([...this.#holdings.values()].map(({ held }) => this.release(held)));\n',
		'',
	),
	mutant('L18', 'a shutdown gives running work no time', LOCK, 'setTimer(resolve, graceMs)', 'setTimer(resolve, 0)'),
	mutant(
		'L18',
		'what is under way when the shutdown begins is acquired after it',
		LOCK,
		'		signal?.throwIfAborted();\n		if (this.#closed) throw new LockClosedError();',
		'		signal?.throwIfAborted();',
	),
	mutant(
		'L18',
		'those who wait are let in during the shutdown',
		LOCK,
		'		this.#queue.sendAllAway(new LockClosedError());\n',
		'',
	),
	mutant(
		'L18',
		'a shutdown forgets the creates that it has given up',
		SWEEPER,
		'		await Promise.all([...this.#abandoned].map(([holder, { name }]) => this.#settle(holder, name)));\n',
		'',
	),
	mutant('L19', 'a waiter only polls', LOCK, 'this.observations.onRemoved(name, done)', '() => {}'),
	mutant('L19', 'a waiter trusts the watch alone', LOCK, 'this.#clock.setTimer(done, atMostMs)', '() => {}'),
	mutant(
		'L19',
		'a fresh list after a gap wakes nobody',
		OBSERVATIONS,
		'if (!listed.has(name)) this.removed({ name, resourceVersion });',
		'if (!listed.has(name)) this.#seen.delete(name);',
	),
	{
		rule: 'L20',
		bug: 'the map of mutexes never shrinks',
		changes: [{ file: QUEUE, whole: new URL('whole/mutex-map.ts', import.meta.url) }],
	},
	mutant(
		'L20',
		"every call leaves a listener on its caller's signal",
		'process/abort.ts',
		".finally(() => signal.removeEventListener('abort', onAbort))",
		'',
	),
	mutant('L20', 'remembers leases that are gone', OBSERVATIONS, '		this.#seen.delete(lease.name);\n', ''),
	mutant(
		'L20',
		'observation times leave with their waiters',
		LOCK,
		'			this.#observer.contended({ key, holder: result.holder });',
		`			for (const { lease } of this.observations.all()) this.observations.removed(lease);
			this.#observer.contended({ key, holder: result.holder });`,
	),
];
