// Bugs in keeping a lock and in taking it over: expiry, takeover, renewal, loss.
import { type Mutant, mutant } from './mutant.ts';

const PROTOCOL = 'lock/lease-protocol.ts';
const RENEWAL = 'lock/lease-renewal.ts';
const CONFIG = 'lock/lock-config.ts';

export const KEEPING: readonly Mutant[] = [
	mutant(
		'L7',
		'compares the time that the holder wrote with its own clock',
		PROTOCOL,
		'since + honouredDurationMs(lease, this.#config) - this.#clock.now()',
		"Date.parse(lease.acquireTime ?? '') + honouredDurationMs(lease, this.#config) - this.#clock.wallTime().getTime()",
	),
	mutant(
		'L7',
		'an absurd duration pins the lock',
		CONFIG,
		'Math.min(lease.durationMs ?? config.leaseDurationMs, config.maxPeerDurationMs)',
		'lease.durationMs ?? config.leaseDurationMs',
	),
	mutant(
		'L7',
		'a lease without a duration lasts as long as the longest',
		CONFIG,
		'lease.durationMs ?? config.leaseDurationMs',
		'lease.durationMs ?? Infinity',
	),
	mutant(
		'L7',
		"applies its own duration to a peer's lease",
		CONFIG,
		'Math.min(lease.durationMs ?? config.leaseDurationMs, config.maxPeerDurationMs)',
		'config.leaseDurationMs',
	),
	mutant(
		'L7',
		'every read of a lease starts its time anew, so that polling keeps it alive',
		'lock/lease-observations.ts',
		'isNoNewer(lease, known.lease)',
		'!isNoNewer(known.lease, lease)',
	),
	mutant(
		'L7',
		'forgets what it saw when the waiter leaves, so that 30 s never pass',
		'lock/lease-lock.ts',
		'			this.#observer.contended({ key, holder: result.holder });',
		`			for (const { lease } of this.observations.all()) this.observations.removed(lease);
			this.#observer.contended({ key, holder: result.holder });`,
	),
	mutant(
		'L8',
		'a takeover writes holder and renewTime only',
		PROTOCOL,
		'const takeover = this.#newLease(name, key, holder, lease.transitions + 1);',
		`const fresh = this.#newLease(name, key, holder, lease.transitions);
			const takeover = { ...fresh, acquireTime: lease.acquireTime ?? fresh.acquireTime };`,
	),
	mutant(
		'L8',
		'a takeover overwrites the version of a fresh read, not the one that was seen unchanged',
		PROTOCOL,
		'this.#client.replace(lease, write)',
		'this.#client.read(name).then((fresh) => this.#client.replace(fresh ?? lease, write))',
	),
	mutant(
		'L8',
		'the loser of a takeover sees a fault',
		PROTOCOL,
		'			const winner = await this.#look(name);',
		`			if (taken.answer === 'changed') throw new LockFault('unavailable', 'the lease changed');
			const winner = await this.#look(name);`,
	),
	mutant(
		'L9',
		'does not renew',
		RENEWAL,
		'cancelRenewal = clock.setTimer(beginRenewal, Math.max(0, sentAt + times.renewIntervalMs - clock.now()));',
		'',
	),
	mutant(
		'L9',
		'renews at half of the duration',
		CONFIG,
		'renewIntervalMs: leaseDurationMs / 3, ...options',
		'renewIntervalMs: leaseDurationMs / 2, ...options',
	),
	{
		rule: 'L9',
		bug: 'renewals overlap when an answer is slow',
		changes: [
			{
				file: RENEWAL,
				old: "		if (sentAt >= deadline) return lose('expired');",
				new: "		if (sentAt >= deadline) return lose('expired');\n		renewIntervalAfter(sentAt);",
			},
			{ file: RENEWAL, old: 'if (renewed) renewIntervalAfter(sentAt);', new: 'if (renewed) return;' },
		],
	},
	mutant(
		'L9',
		'one renewal that fails is loss',
		RENEWAL,
		'			// A missing answer is not loss; the deadline is, and it is reported as such.',
		"			lose('expired');",
	),
	mutant(
		'L9',
		'accepts durations with which one lost answer loses the lock',
		CONFIG,
		'if (needed >= leaseDurationMs)',
		'if (needed >= 2 * leaseDurationMs)',
	),
	mutant(
		'L10',
		'after acquiring, the deadline counts from the answer',
		RENEWAL,
		'deadlineAfter(acquired.sentAt)',
		'deadlineAfter(clock.now())',
	),
	mutant(
		'L10',
		'after a renewal, the deadline counts from the answer',
		RENEWAL,
		'				deadline = deadlineAfter(sentAt);',
		'				deadline = deadlineAfter(clock.now());',
	),
	mutant(
		'L10',
		'the holder gives up only when others may already take over',
		RENEWAL,
		'sentAt + times.leaseDurationMs - times.marginMs',
		'sentAt + times.leaseDurationMs',
	),
	mutant(
		'L10',
		'trusts its timer, which does not run while the process is stopped',
		RENEWAL,
		"			if (clock.now() >= deadline) lose('expired');\n",
		'',
	),
	mutant(
		'L10',
		'detects the loss, but does not abort the work',
		RENEWAL,
		'		controller.abort(new LockLostError(acquired.write.key, loss));\n',
		'',
	),
	mutant(
		'L10',
		'renews after a long stall as if nothing had happened',
		RENEWAL,
		"		if (sentAt >= deadline) return lose('expired');\n",
		'',
	),
	mutant(
		'L10',
		'ignores a successor that the watch shows',
		RENEWAL,
		"lose('taken');\n		},\n		async stop()",
		'return;\n		},\n		async stop()',
	),
	mutant(
		'L10',
		'takes a late watch event of a predecessor for a successor',
		RENEWAL,
		' && !isNoNewer(seen, lease)',
		'',
	),
	mutant(
		'L10',
		'after the release assertHeld still passes',
		RENEWAL,
		"			end('released');",
		'			cancelRenewal();\n			cancelDeadline();',
	),
];
