// The simulation's model of the API server, held against the real one: the same requests, the same answers.
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createKubeClient, type KubeClient, loadKubeConfig } from '../src/kube/kube.ts';
import { createRealStore } from './simulation/real-store.ts';
import {
	type Answer,
	EMPTY_STORE,
	type Fields,
	type Request,
	type StoredLink,
	serve,
} from './simulation/store-model.ts';

const FINGERPRINT = 'abcdef012345'.padEnd(64, '0');
const [A, B] = ['a', 'b'].map((end) => `rr-abcdef012345-${end.repeat(16)}`) as [string, string];

/** `of` and `uidOf`: the step whose link gives uid and version, or the uid alone. */
type Step = Request & { readonly of?: number; readonly uidOf?: number };
const create = (name: string, chain = 0): Step => ({ verb: 'create', name, chain, token: '7' });
const patch = (name: string, status: Extract<Request, { verb: 'patch' }>['status'], of?: number): Step => ({
	verb: 'patch',
	name,
	status,
	...(of === undefined ? {} : { of }),
});
const adjust = (name: string, tests: Fields, changes: Fields): Step => ({ verb: 'adjust', name, tests, changes });
const get = (name: string): Step => ({ verb: 'get', name });
const remove = (name: string, more: Partial<Step> = {}): Step => ({ verb: 'delete', name, ...more }) as Step;
const list: Step = { verb: 'list' };
const terminal = { terminal: true } as const;
const [TIME, LATER, LATEST] = ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z', '2026-01-01T02:00:00Z'] as const;
const FIRES = { startsAt: TIME };
const ENDED = { startsAt: TIME, endsAt: LATER };

const SCENARIOS: Readonly<Record<string, readonly Step[]>> = {
	'a name is taken once': [create(A), create(A), create(B, 1), list, get(A)],
	'what is not there is not found': [get(A), adjust(A, {}, { slots: { p: 1 } }), patch(A, terminal), remove(A), list],
	'a slot begins when there is none, and the second of two equal patches is refused': [
		create(A),
		adjust(A, { slots: { p: null }, deleting: null }, { slots: { p: 2 } }),
		adjust(A, { slots: { p: null }, deleting: null }, { slots: { p: 2 } }),
		get(A),
	],
	'a slot goes on from the value that is tested': [
		create(A),
		adjust(A, {}, { slots: { p: 2 } }),
		adjust(A, { slots: { p: 2 } }, { slots: { p: 5 } }),
		adjust(A, { slots: { p: 2 } }, { slots: { p: 6 } }),
		get(A),
	],
	'slots of others do not matter': [
		create(A),
		adjust(A, { slots: { p: null } }, { slots: { p: 2 } }),
		adjust(A, { slots: { q: null } }, { slots: { q: 3 } }),
		adjust(A, { slots: { p: 2 } }, { slots: { p: 4 }, occurrenceCount: 8 }),
	],
	'a patch of the version read': [create(A), patch(A, { successor: B }, 0), get(A)],
	'a patch of an older version is refused': [create(A), adjust(A, {}, { slots: { p: 1 } }), patch(A, terminal, 0)],
	'a patch that changes nothing makes no version': [
		create(A),
		patch(A, { successor: B }),
		patch(A, { successor: B }, 1),
		adjust(A, { occurrenceCount: 1 }, { occurrenceCount: 1 }),
	],
	'slots are folded into the base': [
		create(A),
		adjust(A, {}, { slots: { p: 2, q: 3 } }),
		adjust(A, { base: 0, slots: { p: 2 } }, { slots: { p: null }, base: 2 }),
		adjust(A, { base: 0, slots: { q: 3 } }, { slots: { q: null }, base: 3 }),
		adjust(A, { slots: { p: 2 } }, { slots: { p: 3 } }),
		get(A),
	],
	'counters never shrink': [
		create(A),
		adjust(A, {}, { slots: { p: 2 } }),
		adjust(A, {}, { slots: { p: 1 } }),
		adjust(A, {}, { slots: { p: null } }),
		adjust(A, {}, { slots: { p: null }, base: 1 }),
		get(A),
	],
	'the readable count grows up to the total': [
		create(A),
		adjust(A, {}, { slots: { p: 2 } }),
		adjust(A, { occurrenceCount: 1 }, { occurrenceCount: 4 }),
		adjust(A, { occurrenceCount: 1 }, { occurrenceCount: 3 }),
		adjust(A, { occurrenceCount: 1 }, { occurrenceCount: 3 }),
		adjust(A, {}, { occurrenceCount: 2 }),
	],
	'a finished request counts no more, and still learns its successor and its readable count': [
		create(A),
		adjust(A, {}, { slots: { p: 2 } }),
		patch(A, terminal),
		adjust(A, { slots: { p: 2 } }, { slots: { p: 3 } }),
		adjust(A, { base: 0, slots: { p: 2 } }, { slots: { p: null }, base: 2 }),
		adjust(A, {}, { occurrenceCount: 3 }),
		patch(A, { successor: B }, 5),
		get(A),
	],
	'alerts are tested one by one and as a whole': [
		create(A),
		adjust(A, { alerts: { a: null }, allAlerts: {} }, { alerts: { a: FIRES } }),
		adjust(A, { alerts: { a: null } }, { alerts: { a: FIRES } }),
		adjust(A, { allAlerts: {} }, { alerts: { b: FIRES } }),
		adjust(A, { alerts: { a: FIRES, b: null } }, { alerts: { b: ENDED } }),
		adjust(A, { allAlerts: { b: ENDED, a: FIRES } }, { alerts: { a: ENDED, b: null } }),
		get(A),
	],
	'a mark that it is resolved stands only when every alert has ended': [
		{ ...create(A), alertId: 'a' } as Step,
		adjust(A, {}, { resolved: LATER }),
		adjust(A, {}, { alerts: { a: ENDED } }),
		adjust(A, { allAlerts: { a: ENDED }, resolved: null }, { resolved: LATER }),
		adjust(A, {}, { alerts: { b: FIRES } }),
		adjust(A, { resolved: LATER }, { alerts: { b: FIRES }, resolved: null }),
		adjust(A, {}, { resolved: LATER }),
		adjust(A, {}, { alerts: { b: ENDED }, resolved: LATER }),
	],
	'an alert that ended fires again only after its end': [
		create(A),
		adjust(A, {}, { alerts: { a: ENDED } }),
		adjust(A, {}, { alerts: { a: FIRES } }),
		adjust(A, {}, { alerts: { a: { startsAt: LATER } } }),
		adjust(A, {}, { alerts: { a: { startsAt: LATEST } } }),
		adjust(A, {}, { alerts: { a: FIRES } }),
		adjust(A, {}, { alerts: { a: { startsAt: LATEST, endsAt: TIME } } }),
	],
	'a request that is being deleted is not counted on': [
		create(A),
		remove(A, { foreground: true }),
		adjust(A, { deleting: null }, { slots: { p: 1 } }),
		adjust(A, {}, { slots: { p: 1 } }),
	],
	'a phase is tested': [
		create(A),
		adjust(A, { phase: null }, { slots: { p: 1 } }),
		patch(A, terminal),
		adjust(A, { phase: null }, { resolved: TIME }),
		adjust(A, { phase: 'Completed' }, { resolved: TIME }),
	],
	'a uid is tested': [create(A), adjust(A, { uid: 'another' }, { slots: { p: 1 } }), get(A)],
	'a successor is written once': [
		create(A),
		patch(A, { successor: B }),
		patch(A, { successor: `${A.slice(0, -1)}c` }),
		get(A),
	],
	'a deletion of an older version is refused': [
		create(A),
		patch(A, terminal),
		remove(A, { of: 0 }),
		remove(A, { of: 1 }),
		list,
	],
	'a deletion by uid takes any version': [create(A), patch(A, terminal), remove(A, { uidOf: 0 }), get(A)],
	'a name comes again with another uid, and old writes do not reach it': [
		create(A),
		remove(A, { of: 0 }),
		create(A),
		patch(A, { successor: B }, 0),
		remove(A, { uidOf: 0 }),
		remove(A, { of: 0 }),
		get(A),
	],
	'a deletion in the foreground marks first, and the link still learns its successor': [
		create(A),
		remove(A, { foreground: true }),
		get(A),
		patch(A, { successor: B }, 2),
		remove(A, { foreground: true }),
		create(A),
		remove(A),
		create(A),
	],
};

describe('the model answers like the API server', () => {
	const admin = adminApi();
	let kube: KubeClient;
	beforeAll(() => {
		kube = createKubeClient(loadKubeConfig(inject('controlPlane').kubeconfigPath), 10_000, { called() {} });
	});
	afterAll(() => kube.close());

	it.each(Object.entries(SCENARIOS))('the model answers like the API server: %s', async (_, steps) => {
		const real = createRealStore(kube, await createNamespace(admin, 'store-model'), FINGERPRINT);
		let store = EMPTY_STORE;
		const fromModel = await answersOf(steps, async (request) => {
			const served = serve(store, request);
			({ store } = served);
			return served.answer;
		});
		expect(comparable(await answersOf(steps, (request) => real.serve(request)))).toEqual(comparable(fromModel));
	});
});

async function answersOf(steps: readonly Step[], ask: (request: Request) => Promise<Answer>): Promise<Answer[]> {
	const answers: Answer[] = [];
	for (const { of, uidOf, ...request } of steps) {
		const earlier = answers[of ?? uidOf ?? -1];
		const link = earlier !== undefined && 'link' in earlier ? earlier.link : undefined;
		const uid = link === undefined ? {} : { uid: link.uid };
		const version = link === undefined || of === undefined ? {} : { version: link.version };
		answers.push(await ask({ ...request, ...uid, ...version }));
	}
	return answers;
}

/** Uids and versions differ between the two: replaced by the order of their first appearance. Versions of a name must grow. */
function comparable(answers: readonly Answer[]): unknown[] {
	const uids: string[] = [];
	const versions = new Map<string, number[]>();
	const plain = (link: StoredLink) => {
		if (!uids.includes(link.uid)) uids.push(link.uid);
		const seen = versions.get(link.name) ?? [];
		versions.set(link.name, seen);
		if (!seen.includes(link.version)) {
			if (link.version < (seen.at(-1) ?? 0)) throw new Error(`${link.name} went back to version ${link.version}`);
			seen.push(link.version);
		}
		return { ...link, uid: uids.indexOf(link.uid), version: seen.indexOf(link.version) };
	};
	return answers.map((answer) => {
		if ('link' in answer) return { link: plain(answer.link) };
		return 'links' in answer ? { links: answer.links.map(plain) } : answer;
	});
}
