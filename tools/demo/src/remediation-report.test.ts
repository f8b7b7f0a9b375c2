import { describe, expect, it } from 'vitest';
import type { RequestState, SeenRequest } from './history.ts';
import {
	brokenExecutionPromises,
	cooldownInWords,
	costInWords,
	reportOf,
	type Seen,
	short,
} from './remediation-report.ts';

const CART = 'shop/Deployment/cart';
const CHECKOUT = 'shop/Deployment/checkout';

function state(phase: string, more: Partial<RequestState> = {}): RequestState {
	return {
		phase,
		reason: undefined,
		blockedBy: undefined,
		until: undefined,
		outcome: undefined,
		notifications: 0,
		...more,
	};
}

function request(name: string, signal: string, target: string, ...states: RequestState[]): SeenRequest {
	return { name, uid: `uid-${name}`, target, signal, states };
}

const RAN = request(
	'rr-1-aaaaaa',
	'PodNotReady',
	CART,
	state('Executing'),
	state('Completed', { outcome: 'Remediated', notifications: 1 }),
);
const DUPLICATE = request(
	'rr-2-bbbbbb',
	'ErrorRateHigh',
	CART,
	state('Blocked', { reason: 'DuplicateInProgress', blockedBy: 'rr-1-aaaaaa' }),
	state('Skipped', { outcome: 'RemediatedByAnother', blockedBy: 'rr-1-aaaaaa' }),
);
const BUSY = request(
	'rr-3-cccccc',
	'CpuThrottlingHigh',
	CART,
	state('Blocked', { reason: 'ResourceBusy', blockedBy: 'we-1-111111' }),
	state('Blocked', { reason: 'RecentlyRemediated', blockedBy: 'we-1-111111', until: '2026-01-01T10:00:03Z' }),
	state('Executing'),
	state('Completed', { outcome: 'Remediated', notifications: 1 }),
);
const NO_WORKFLOW = request(
	'rr-4-dddddd',
	'CertificateExpires',
	CHECKOUT,
	state('Blocked', { reason: 'NoWorkflow', notifications: 1 }),
);

const SEEN: Seen = {
	requests: [DUPLICATE, BUSY, RAN, NO_WORKFLOW],
	executions: [
		{
			name: 'we-1-111111',
			target: CART,
			requestUid: RAN.uid,
			workflow: 'restart',
			madeBy: 'pod-1',
			over: true,
			phase: 'Completed',
			endedAt: '2026-01-01T10:00:00Z',
		},
		{
			name: 'we-2-222222',
			target: CART,
			requestUid: BUSY.uid,
			workflow: 'scale-up',
			madeBy: 'pod-0',
			over: true,
			phase: 'Completed',
		},
	],
	overlaps: [],
	mostAtOnce: () => 1,
	holders: (target) =>
		target === CART
			? [
					['pod-1', 3],
					['pod-0', 1],
				]
			: [['pod-2', 1]],
};
const CALLS = {
	byTarget: new Map([
		[CART, 26],
		[CHECKOUT, 6],
	]),
	byKind: [
		['create leases', 20],
		['create events', 12],
	] as const,
};

describe('the table', () => {
	it('lists by target which pod held it, which request was blocked by which execution, and how each ended', () => {
		expect(`${reportOf(SEEN, CALLS).join('\n')}\n`).toBe(`\
REQUEST       SIGNAL              EXECUTION            BLOCKED                            END
shop/Deployment/cart; locked by pod-1 × 3, pod-0 × 1; 2 executions, at most 1 at once; 26 API calls
  rr-…aaaaaa  PodNotReady         we-…111111 restart                                      Completed: Remediated
  rr-…cccccc  CpuThrottlingHigh   we-…222222 scale-up  ResourceBusy by we-…111111         Completed: Remediated
                                                       RecentlyRemediated until 10:00:03
  rr-…bbbbbb  ErrorRateHigh       none                 DuplicateInProgress by rr-…aaaaaa  Skipped: remediated by rr-…aaaaaa
shop/Deployment/checkout; locked by pod-2 × 1; 0 executions; 6 API calls
  rr-…dddddd  CertificateExpires  none                 NoWorkflow                         Blocked, a person is notified
`);
	});
	it('does not mention calls that were not counted', () => {
		expect(reportOf(SEEN, undefined).join('\n')).not.toContain('API calls');
		expect(costInWords(SEEN, undefined)).toContain('does not keep');
	});
	it('says what the calls were', () => {
		expect(costInWords(SEEN, CALLS)).toBe(
			'32 API calls for 4 requests, 8.0 each from first look to end: 20 create leases, 12 create events.',
		);
	});
	it('says whom a cooldown held back, and until when', () => {
		expect(cooldownInWords(SEEN)).toEqual([
			'shop/Deployment/cart: restart ended at 10:00:00, so scale-up was held back until 10:00:03; then it ran.',
		]);
		expect(cooldownInWords({ ...SEEN, executions: SEEN.executions.slice(0, 1) })).toEqual([]);
	});
	it('cuts a signal that is too long', () => {
		const requests = [{ ...RAN, signal: 'KubeDeploymentReplicasMismatch' }];
		expect(reportOf({ ...SEEN, requests }, CALLS)[2]).toContain('  KubeDeploymentRepli…  ');
	});
	it('names are short at their end, where they differ', () => {
		expect(short('we-0123456789ab-0123456789abcdef')).toBe('we-…abcdef');
	});
});

describe('what the orchestrator promises', () => {
	it('is kept when each ran at most once, none together, and all ended or wait for a person', () => {
		expect(brokenExecutionPromises(SEEN)).toEqual([]);
	});
	it('is broken by two executions of a target at once', () => {
		const overlap = `we-2 had ${CART} while we-1 did`;
		expect(brokenExecutionPromises({ ...SEEN, overlaps: [overlap] })).toEqual([`${overlap}.`]);
	});
	it('is broken by a second execution of a request', () => {
		const again = { ...SEEN.executions[0]!, name: 'we-3-333333' };
		expect(brokenExecutionPromises({ ...SEEN, executions: [...SEEN.executions, again] })).toEqual([
			'rr-1-aaaaaa was executed 2 times.',
		]);
	});
	it('is broken by one that does not end', () => {
		const stuck = { ...BUSY, states: BUSY.states.slice(0, 1) };
		expect(brokenExecutionPromises({ ...SEEN, requests: [RAN, DUPLICATE, stuck] })).toEqual([
			'rr-3-cccccc did not end: Blocked, no notification.',
		]);
	});
});
