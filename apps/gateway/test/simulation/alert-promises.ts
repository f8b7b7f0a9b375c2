// What is promised of the alerts of one incident: a request is marked as resolved when all of its alerts have ended, and
// not while one of them fires that was answered as stored.
import { short, Violation } from './promises.ts';
import type { Sending, World } from './world.ts';

/** Safety, in each world: no alert that was answered as stored fires behind the mark. */
export function noneFiresBehindTheMark(world: World, sendings: readonly Sending[]): void {
	for (const { uid, resolved } of world.store.links) {
		if (resolved === undefined) continue;
		for (const number of world.acknowledged) {
			const alert = sendings[number]?.alert;
			if (alert === undefined || alert.endsAt !== undefined || isOver(alert, world.sent, sendings)) continue;
			throw new Violation(`${short(uid)} is marked as resolved, and ${alert.id} fires since ${alert.startsAt}`);
		}
	}
}

/** Progress, in a world where nothing more can happen: all were answered, all have ended, so the request is marked. */
export function unmarkedAtTheEnd(world: World, sendings: readonly Sending[]): string | undefined {
	if (world.acknowledged.length < sendings.length) return undefined; // a process crashed
	const fires = sendings.some(({ alert }) => alert.endsAt === undefined && !isOver(alert, world.sent, sendings));
	const unmarked = world.store.links.find(({ resolved }) => resolved === undefined);
	if (fires || unmarked === undefined) return undefined;
	return `${short(unmarked.uid)} is not marked as resolved, and all of its alerts have ended`;
}

/** A report that it ended after this beginning is under way, or was answered. */
function isOver({ id, startsAt }: Sending['alert'], sent: readonly number[], sendings: readonly Sending[]): boolean {
	return sent.some((number) => {
		const other = sendings[number]?.alert;
		return other?.id === id && other.endsAt !== undefined && other.endsAt > startsAt;
	});
}
