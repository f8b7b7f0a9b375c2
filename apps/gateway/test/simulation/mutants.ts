// The protocol with one ingredient missing. Each must be found out: a simulation that accepts them shows nothing.
import { TWO_ALERTS } from './alert-settings.ts';
import type { Mutation } from './signal-process.ts';
import { type Answer, type Fields, isActive, type Request, SCHEMA, type StoredLink } from './store-model.ts';
import type { Rules } from './world.ts';

export type Mutant = {
	readonly name: string;
	readonly mutation?: Mutation;
	readonly rules?: Partial<Rules>;
	/** How many finished links there are at the beginning. */
	readonly finishedLinks?: number;
	readonly wantBroken: RegExp;
};

const FIRST_LINK: StoredLink = {
	name: '',
	uid: '',
	version: 1000,
	chain: 0,
	token: '',
	terminal: false,
	deleting: false,
	occurrenceCount: 1,
	base: 0,
	slots: {},
	alerts: {},
};

const TWO_PROCESSES = { processes: 2, endings: 0, removals: 0 } as const;

/** Signals that were answered as stored are missing. */
const LOST = /counts \d of the \d signals that were answered as stored$|shows \d and counts \d$/;
/** Two are active, or a link has a number that does not follow. */
export const FORKED = /^two active links|has number/;

export const MUTANTS: readonly Mutant[] = [
	{
		name: 'a count that does not test the entry of its alert, in a storm, where the schema lets an ended one fire again',
		mutation: {
			request: (request) =>
				isCount(request)
					? {
							...request,
							// In a storm a count leaves the readable total to a later write.
							tests: without(without(request.tests, 'alerts'), 'occurrenceCount'),
							changes: without(request.changes, 'occurrenceCount'),
						}
					: request,
		},
		rules: { ...TWO_PROCESSES, sendings: TWO_ALERTS, schema: { ...SCHEMA, alertsEnd: false } },
		wantBroken: /is not marked as resolved, and all of its alerts have ended$/,
	},
	{
		name: 'a mark that does not test all alerts, where the schema lets it stand beside one that fires',
		mutation: {
			request: (request) =>
				request.verb === 'adjust' ? { ...request, tests: without(request.tests, 'allAlerts') } : request,
		},
		rules: { ...TWO_PROCESSES, sendings: TWO_ALERTS, schema: { ...SCHEMA, alertsEnd: false } },
		wantBroken: /is marked as resolved, and \w+ fires since/,
	},
	{
		name: 'an alert that begins again without a test of the mark, where the schema lets both stand',
		mutation: {
			request: (request) =>
				isCount(request) && request.tests.resolved === null
					? { ...request, tests: without(request.tests, 'resolved') }
					: request,
		},
		rules: { ...TWO_PROCESSES, sendings: TWO_ALERTS, schema: { ...SCHEMA, alertsEnd: false } },
		wantBroken: /is marked as resolved, and \w+ fires since/,
	},
	{
		name: 'without the successor write, removing the tail forks the chain',
		mutation: { request: (request) => (isAnnouncement(request) ? { verb: 'get', name: request.name } : request) },
		finishedLinks: 1,
		wantBroken: FORKED,
	},
	{
		name: 'retention that removes a link whose successor is only announced',
		rules: { retentionKeepsSuccessorRule: false },
		finishedLinks: 1,
		wantBroken: FORKED,
	},
	{
		name: 'retention that removes what it has not looked at',
		rules: { retentionHasPrecondition: false },
		finishedLinks: 1,
		wantBroken: FORKED,
	},
	{
		name: 'retention in the foreground: the mark comes first, and the link takes an announcement with it',
		rules: { retentionInForeground: true },
		finishedLinks: 1,
		wantBroken: FORKED,
	},
	{
		name: 'the newest by its time, when several were made in one second',
		mutation: {
			view: (links) => links.slice(0, 1),
			answer: (answer) => ('links' in answer ? { links: answer.links.slice(0, 1) } : answer),
		},
		finishedLinks: 2,
		wantBroken: FORKED,
	},
	{
		name: 'a cache without the finished links, so that an old view starts the chain again',
		mutation: { view: (links) => links.filter(isActive) },
		finishedLinks: 1,
		wantBroken: FORKED,
	},
	{
		name: 'a cache with the newest link only, so that nothing is left when the end of the chain is removed',
		mutation: { view: (links) => (links.at(-1)?.successor === undefined ? links.slice(-1) : []) },
		finishedLinks: 3,
		wantBroken: FORKED,
	},
	{
		name: 'no list when the announcement finds its link gone: a new chain instead',
		mutation: { answer: (answer) => ('links' in answer ? { links: [] } : answer) },
		finishedLinks: 1,
		wantBroken: FORKED,
	},
	{
		name: 'a count that does not test its slot, which was folded meanwhile',
		mutation: {
			request: (request) => (isCount(request) ? { ...request, tests: without(request.tests, 'slots') } : request),
		},
		rules: { processes: 2, endings: 0, folds: 1, processesRemember: true },
		wantBroken: /more signals were counted than answered as stored/,
	},
	{
		name: 'a slot that is made again after it was folded: a late write takes it for the old one',
		mutation: {
			request: (request) => (isCount(request) ? { ...request, ...withOneSlot(request) } : request),
			answer: (answer) => withLink(answer, (link) => ({ ...link, slots: withAllNames(link.slots) })),
		},
		rules: { processes: 1, signals: 5, lostAnswers: 1, endings: 0, removals: 0, folds: 1, processesRemember: true },
		wantBroken: /more signals were counted than answered as stored/,
	},
	{
		name: 'a fold that tests neither the slot nor the base, where the schema lets counters shrink',
		mutation: {
			request: (request) =>
				request.verb === 'adjust' && request.changes.base !== undefined ? { ...request, tests: {} } : request,
		},
		rules: { processes: 2, endings: 0, folds: 1, processesRemember: true, schema: { ...SCHEMA, countersGrow: false } },
		wantBroken: LOST,
	},
	{
		name: 'two folds at once that do not test the base, where the schema lets counters shrink',
		mutation: {
			request: (request) =>
				request.verb === 'adjust' && request.changes.base !== undefined
					? { ...request, tests: without(request.tests, 'base') }
					: request,
		},
		rules: { endings: 0, folds: 2, schema: { ...SCHEMA, countersGrow: false } },
		wantBroken: LOST,
	},
	{
		name: 'a count on a request that has ended, where the schema lets it pass',
		rules: { schema: { ...SCHEMA, endedCountsNoMore: false } },
		wantBroken: /not active at any moment since it came$/,
	},
	{
		name: 'a count without a test of the deletion',
		mutation: {
			request: (request) => (isCount(request) ? { ...request, tests: without(request.tests, 'deleting') } : request),
		},
		rules: { endingWays: ['deleting'] },
		wantBroken: /not active at any moment since it came$/,
	},
	{
		name: 'a count whose lost answer is taken for a success',
		mutation: {
			answer: (answer, request) =>
				isCount(request) && 'fault' in answer && answer.fault === 'KUBE_TIMEOUT'
					? { link: { ...FIRST_LINK, name: request.name, uid: request.tests.uid ?? '' } }
					: answer,
		},
		rules: { processes: 2, lostAnswers: 1, endings: 0 },
		wantBroken: /^a signal was put on nothing/,
	},
	{
		name: 'a count whose slot is gone after a lost answer, sent again under another name',
		mutation: {
			answer: (answer, request) =>
				isCount(request) && 'fault' in answer && answer.fault === 'KUBE_TIMEOUT' ? { fault: 'KUBE_INVALID' } : answer,
		},
		rules: { processes: 2, lostAnswers: 1, endings: 0, folds: 1 },
		wantBroken: /more signals were counted than answered as stored/,
	},
	{
		name: 'a finished link is joined',
		mutation: { answer: (answer) => withLink(answer, (link) => ({ ...link, terminal: false })) },
		finishedLinks: 1,
		wantBroken: /was rejected|was deferred|not active at any moment|^two active links/,
	},
	{
		name: 'a link that is being deleted is joined',
		mutation: {
			view: (links) => links.map((link) => ({ ...link, deleting: false })),
			answer: (answer) => withLink(answer, (link) => ({ ...link, deleting: false })),
		},
		rules: { endingWays: ['deleting'] },
		wantBroken: /was deferred/,
	},
];

function isAnnouncement(request: { verb: string }): request is { verb: 'patch'; name: string } {
	return request.verb === 'patch' && 'status' in request && 'successor' in (request.status as object);
}

function withLink(answer: Answer, change: (link: StoredLink) => StoredLink): Answer {
	return 'link' in answer ? { link: change(answer.link) } : answer;
}

function without<T extends object>(fields: T, field: keyof T): T {
	const { [field]: _, ...rest } = fields;
	return rest as T;
}

function isCount(request: Request): request is Extract<Request, { verb: 'adjust' }> {
	return request.verb === 'adjust' && request.changes.slots !== undefined && request.changes.base === undefined;
}

/** All slots of a process have one name: the first. */
function withOneSlot({ tests, changes }: { tests: Fields; changes: Fields }): { tests: Fields; changes: Fields } {
	const renamed = (fields: Fields): Fields =>
		fields.slots === undefined
			? fields
			: { ...fields, slots: Object.fromEntries(Object.entries(fields.slots).map(([slot, n]) => [firstName(slot), n])) };
	return { tests: renamed(tests), changes: renamed(changes) };
}

/** The process finds the slot under each of its names. */
function withAllNames(slots: Readonly<Record<string, number>>): Record<string, number> {
	return Object.fromEntries(
		Object.entries(slots).flatMap(([slot, n]) => [1, 2, 3, 4].map((name) => [slot.replace(/\d+$/, String(name)), n])),
	);
}

function firstName(slot: string): string {
	return slot.replace(/\d+$/, '1');
}
