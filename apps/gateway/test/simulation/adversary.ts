// Changes to the links by others while signals come: requests end, retention removes them, a person deletes one.
import { short } from './promises.ts';
import { isActive, linkOf, type Request, serve } from './store-model.ts';
import { atLarge, type Move, type Rules, spent, tidied, type World, withEntry } from './world.ts';

export function endings(world: World, rules: Rules): Move[] {
	const { store, left } = world;
	const found: Move[] = [];
	for (const { name, uid } of store.links.filter(isActive)) {
		const after = (request: Request) => serve(store, request).store;
		for (const how of left.endings > 0 ? rules.endingWays : [])
			found.push({
				label: `${short(name)} becomes ${how}`,
				make: () => ({
					...spent(world, 'endings'),
					store: after(
						how === 'terminal'
							? { verb: 'patch', name, status: { terminal: true } }
							: { verb: 'delete', name, foreground: true },
					),
					protectors: withEntry(world.protectors, uid, atLarge(world)),
				}),
			});
		if (left.deletionsByHand > 0)
			found.push({
				label: `a person deletes ${short(name)}`,
				make: () => ({ ...spent(world, 'deletionsByHand'), store: after({ verb: 'delete', name }) }),
			});
	}
	return found;
}

/** It looks, and then it removes: two steps. */
export function retention(world: World, rules: Rules): Move[] {
	const { store, removing } = world;
	const foreground = rules.retentionInForeground;
	const found: Move[] = [];
	if (removing === undefined && world.left.removals > 0)
		for (const { name, uid, version, terminal, deleting } of store.links)
			if ((terminal || deleting) && mayGo(world, rules, name) && !(foreground && deleting))
				found.push({
					label: `retention looks at ${short(name)}`,
					make: () => ({ ...spent(world, 'removals'), removing: { name, uid, version } }),
				});
	if (removing !== undefined)
		found.push({
			label: `retention removes ${short(removing.name)}`,
			make: () => {
				const { name, uid, version } = removing;
				const precondition = rules.retentionHasPrecondition ? { uid, version } : { uid };
				const removed = serve(store, { verb: 'delete', name, foreground, ...precondition }).store;
				return tidied({ ...world, store: removed, removing: undefined });
			},
		});
	if (foreground)
		for (const { name, deleting } of store.links)
			if (deleting)
				found.push({
					label: `${short(name)} is gone`,
					make: () => tidied({ ...world, store: serve(store, { verb: 'delete', name }).store }),
				});
	return found;
}

function mayGo(world: World, rules: Rules, name: string): boolean {
	const link = linkOf(world.store, name);
	if (link === undefined) return false;
	if (rules.viewsYoungerThanRetention && world.protectors[link.uid] !== undefined) return false;
	if (!rules.retentionKeepsSuccessorRule || link.successor === undefined) return true;
	return linkOf(world.store, link.successor) !== undefined;
}
