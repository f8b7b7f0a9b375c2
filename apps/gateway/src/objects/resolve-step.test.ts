import { describe, expect, it } from 'vitest';
import { ALERT, sampleLink } from '../../test/fixtures/sample-signal.ts';
import { type AlertEntry, MAX_ALERTS } from './alert-entries.ts';
import type { RequestLink } from './request-link.ts';
import { resolveStep } from './resolve-step.ts';
import { countPatch, type JsonPatch } from './status-patch.ts';

const [START, END, LATER] = ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z', '2026-01-01T02:00:00Z'] as const;
const FIRES: AlertEntry = { startsAt: START };
const ENDED: AlertEntry = { startsAt: START, endsAt: END };
const NEW = { id: 'fade', startsAt: START };
const COUNT = { slot: 's', count: 1, lastSeenAt: LATER, settles: false };

function alerts(count: number, entry: AlertEntry): RequestLink['alerts'] {
	return Object.fromEntries(Array.from({ length: count }, (_, i) => [i.toString(16).padStart(4, '0'), entry]));
}
function changesOf(patch: JsonPatch): string[] {
	return patch
		.filter(({ op, path }) => op !== 'test' && !/deduplication/.test(path))
		.map(({ op, path }) => `${op} ${path}`);
}
function counted(link: Partial<RequestLink>): string[] {
	return changesOf(countPatch(sampleLink(link), { ...COUNT, alerts: [NEW] }));
}

describe('a request whose map of alerts is full', () => {
	it.each([
		{
			name: 'with room for one more and for the end of its maker',
			entries: alerts(MAX_ALERTS - 2, FIRES),
			want: ['add /status/alerts/fade'],
		},
		{
			name: 'with all places but that of its maker taken',
			entries: alerts(MAX_ALERTS - 1, FIRES),
			want: ['add /status/alertsOverflow'],
		},
		{
			name: 'with one that ended among them',
			entries: { ...alerts(MAX_ALERTS - 2, FIRES), dead: ENDED },
			want: ['remove /status/alerts/dead', 'add /status/alerts/fade'],
		},
		{
			name: 'with its maker as the only one that ended',
			entries: { ...alerts(MAX_ALERTS - 1, FIRES), [ALERT.id]: ENDED },
			want: ['add /status/alertsOverflow'],
		},
	])('a new alert on a request $name: $want', ({ entries, want }) => {
		expect(counted({ alerts: entries })).toEqual(want);
	});

	it('entries that go are tested as they were seen', () => {
		const entries = { ...alerts(MAX_ALERTS - 2, FIRES), dead: ENDED };
		expect(countPatch(sampleLink({ alerts: entries }), { ...COUNT, alerts: [NEW] })).toContainEqual({
			op: 'test',
			path: '/status/alerts/dead',
			value: ENDED,
		});
	});

	it('a request with more alerts than it can follow takes no more of them, and none resolves it', () => {
		expect(counted({ alertsOverflow: true })).toEqual([]);
		expect(resolveStep(sampleLink({ alertsOverflow: true }), { ...ALERT, endsAt: END })).toEqual({
			step: 'not-followed',
		});
	});

	it('a new alert that finds no room removes the mark of a resolved request', () => {
		const entries = { ...alerts(MAX_ALERTS - 1, FIRES), [ALERT.id]: ENDED };
		expect(counted({ alerts: entries, resolvedAt: END })).toEqual([
			'remove /status/signalResolvedAt',
			'add /status/alertsOverflow',
		]);
	});

	it('the maker of a full request has a place for its end', () => {
		const step = resolveStep(sampleLink({ alerts: alerts(MAX_ALERTS - 1, FIRES) }), { ...ALERT, endsAt: END });
		expect(step).toMatchObject({ step: 'write' });
	});

	it('the end of an alert that was never counted takes no place of a full request', () => {
		const link = sampleLink({ alerts: alerts(MAX_ALERTS - 1, FIRES) });
		expect(resolveStep(link, { ...NEW, endsAt: END })).toEqual({ step: 'others-fire', firing: MAX_ALERTS });
	});
});

describe('an alert that ended', () => {
	const cases: Record<string, { link: Partial<RequestLink>; endsAt: string; want: object }> = {
		'is recorded while others fire, with a test of its own entry': {
			link: { alerts: { a: FIRES } },
			endsAt: END,
			want: {
				step: 'write',
				patch: expect.not.arrayContaining([expect.objectContaining({ path: '/status/signalResolvedAt' })]),
			},
		},
		'marks the request with the newest end, testing the whole map, when it is the last one': {
			link: { alerts: { a: { startsAt: START, endsAt: LATER } } },
			endsAt: END,
			want: {
				step: 'write',
				patch: expect.arrayContaining([
					{ op: 'test', path: '/status/alerts', value: { a: { startsAt: START, endsAt: LATER } } },
					{ op: 'add', path: `/status/alerts/${ALERT.id}`, value: ENDED },
					{ op: 'add', path: '/status/signalResolvedAt', value: LATER },
				]),
			},
		},
		'is outdated when it began again': {
			link: { alerts: { [ALERT.id]: { startsAt: LATER } } },
			endsAt: END,
			want: { step: 'outdated', firingAgainSince: LATER },
		},
		'is nothing new when it ended before': {
			link: { alerts: { [ALERT.id]: ENDED }, resolvedAt: END },
			endsAt: LATER,
			want: { step: 'resolved' },
		},
		'resolves a request of an older gateway, which does not know its maker': {
			link: { alertId: undefined },
			endsAt: END,
			want: {
				step: 'write',
				patch: expect.arrayContaining([{ op: 'add', path: '/status/signalResolvedAt', value: END }]),
			},
		},
	};
	it.each(Object.entries(cases))('an alert that ended %s', (_, { link, endsAt, want }) => {
		expect(resolveStep(sampleLink(link), { ...ALERT, endsAt })).toEqual(want);
	});
});
