// Changes to the links by others while signals come: requests end, retention removes them, a person deletes one.
import { toLink } from '../../src/objects/request-link.ts';
import { foldPatch, type JsonPatch, settlePatch } from '../../src/objects/status-patch.ts';
import { FINGERPRINT } from '../fixtures/sample-signal.ts';
import { fieldsOf } from './model-kube.ts';
import { short } from './promises.ts';
import type { Mutation } from './signal-process.ts';
import { isActive, linkOf, type Request, serve, toObject, totalOf } from './store-model.ts';
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

/** Another process folds a slot or settles the readable count, with the gateway's own patches: two steps each. */
export function counterKeeping(world: World, rules: Rules, { request: mutated = (it) => it }: Mutation): Move[] {
	const { store, others, left } = world;
	const found: Move[] = [];
	const look = (budget: 'folds' | 'settles', what: string, name: string, patch: JsonPatch) => {
		const request = mutated({ verb: 'adjust', name, ...fieldsOf(patch) }, what);
		if ('verb' in request)
			found.push({
				label: `another process looks: ${what}`,
				make: () => ({ ...spent(world, budget), others: [...others, { what, request }] }),
			});
	};
	for (const stored of store.links) {
		const link = toLink(toObject(stored, FINGERPRINT));
		const { name } = link;
		if (left.folds > 0 && isActive(stored))
			for (const [slot, count] of Object.entries(link.slots))
				look('folds', `fold ${slot} of ${short(name)}`, name, foldPatch(link, { [slot]: count }));
		if (left.settles > 0 && link.occurrenceCount < totalOf(stored))
			look('settles', `settle ${short(name)}`, name, settlePatch(link));
	}
	for (const [index, { what, request }] of others.entries())
		found.push({
			label: `another process: ${what}`,
			make: () => ({
				...world,
				others: others.toSpliced(index, 1),
				store: serve(store, request, rules.schema).store,
			}),
		});
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
