// The protocol with one ingredient missing. Each must be found out: a simulation that accepts them shows nothing.
import type { Mutation } from './signal-process.ts';
import { type Answer, isActive, type StoredLink } from './store-model.ts';
import type { Rules } from './world.ts';

export type Mutant = {
	readonly name: string;
	readonly mutation?: Mutation;
	readonly rules?: Partial<Rules>;
	/** How many finished links there are at the beginning. */
	readonly finishedLinks?: number;
	readonly wantBroken: RegExp;
};

/** Two are active, or a link has a number that does not follow. */
export const FORKED = /^two active links|has number/;

export const MUTANTS: readonly Mutant[] = [
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
		name: 'writes without compare-and-set',
		mutation: {
			request: (request) =>
				request.verb === 'patch' ? { verb: 'patch', name: request.name, status: request.status } : request,
		},
		rules: { endings: 0 },
		wantBroken: /counts 2 of the 3 signals that were answered as stored$/,
	},
	{
		name: 'a finished link is joined',
		mutation: { answer: (answer) => withLink(answer, (link) => ({ ...link, terminal: false })) },
		finishedLinks: 1,
		wantBroken: /was rejected|was deferred|not active at any moment/,
	},
	{
		name: 'a count that is written again without looking for its id after a lost answer',
		mutation: {
			answer: (answer, request, pod) =>
				request.verb === 'get'
					? withLink(answer, (link) => ({ ...link, commits: without(link.commits, pod) }))
					: answer,
		},
		rules: { lostAnswers: 1, endings: 0 },
		wantBroken: /more signals were counted than answered as stored/,
	},
	{
		name: 'a link that is being deleted is joined',
		mutation: {
			view: (links) => links.map((link) => ({ ...link, deleting: false })),
			answer: (answer) => withLink(answer, (link) => ({ ...link, deleting: false })),
		},
		rules: { endingWays: ['deleting'] },
		wantBroken: /not active at any moment since it came$/,
	},
];

function isAnnouncement(request: { verb: string }): request is { verb: 'patch'; name: string } {
	return request.verb === 'patch' && 'status' in request && 'successor' in (request.status as object);
}

function withLink(answer: Answer, change: (link: StoredLink) => StoredLink): Answer {
	return 'link' in answer ? { link: change(answer.link) } : answer;
}

function without(commits: Readonly<Record<string, string>>, pod: string): Record<string, string> {
	return Object.fromEntries(Object.entries(commits).filter(([name]) => name !== pod));
}
