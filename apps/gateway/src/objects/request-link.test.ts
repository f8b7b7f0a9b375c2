import { describe, expect, it } from 'vitest';
import {
	REMEDIATION_REQUEST_PHASES,
	type RemediationRequest,
	type RemediationRequestStatus,
} from '../generated/remediation-request.ts';
import { isActive, linkName, newestOf, type RequestLink, toLink, totalOf } from './request-link.ts';

const FINGERPRINT = '0123456789ab'.padEnd(64, 'f');

function request(status: Partial<RemediationRequestStatus>, metadata: Partial<RemediationRequest['metadata']> = {}) {
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationRequest',
		metadata: { name: 'rr', uid: 'u', resourceVersion: '7', generation: 1, creationTimestamp: '', ...metadata },
		spec: { signalFingerprint: FINGERPRINT, chain: 3, firingTime: '2025-12-30T00:00:00Z', alertId: 'abc' },
		status,
	} as unknown as RemediationRequest;
}

describe('a request as a link', () => {
	it('a link has the fields of the request that decide', () => {
		const status = {
			overallPhase: 'Completed',
			successor: { name: 'next' },
			deduplication: { occurrenceCount: 4, base: 2, slots: { a: 3, b: 4 } },
			alerts: { a: { startsAt: '2025-12-31T00:00:00Z' } },
			alertsOverflow: true,
			signalResolvedAt: '2026-01-01T00:00:00Z',
		} as const;
		expect(toLink(request(status))).toEqual({
			name: 'rr',
			uid: 'u',
			resourceVersion: '7',
			fingerprint: FINGERPRINT,
			chain: 3,
			phase: 'Completed',
			terminal: true,
			deleting: false,
			successor: 'next',
			occurrenceCount: 4,
			base: 2,
			slots: { a: 3, b: 4 },
			firingTime: '2025-12-30T00:00:00Z',
			alertId: 'abc',
			alerts: {}, // of a finished one they are not kept
			alertsOverflow: true,
			resolvedAt: '2026-01-01T00:00:00Z',
		});
		expect(totalOf(toLink(request(status)))).toBe(10);
	});

	it('a link of a request that is active has its alerts', () => {
		const alerts = { a: { startsAt: '2025-12-31T00:00:00Z' } };
		expect(toLink(request({ overallPhase: 'Pending', alerts })).alerts).toEqual(alerts);
	});

	it('a request without status counts one and is active', () => {
		const link = toLink(request({}));
		expect(link).toMatchObject({ slots: {}, successor: undefined, resolvedAt: undefined, terminal: false });
		expect(totalOf(link)).toBe(1);
		expect(isActive(link)).toBe(true);
	});

	it.each(REMEDIATION_REQUEST_PHASES.map((phase) => ({ phase })))(
		'whether a request is active follows from its phase: $phase',
		({ phase }) => {
			const wantActive = ['Pending', 'Executing', 'Blocked'].includes(phase);
			expect(isActive(toLink(request({ overallPhase: phase })))).toBe(wantActive);
		},
	);

	it('a request that is being deleted is not active, whatever its phase', () => {
		const link = toLink(request({ overallPhase: 'Executing' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
		expect(isActive(link)).toBe(false);
	});
});

describe('the name of a link', () => {
	it('the name of a link depends on the fingerprint and the predecessor only', () => {
		expect(linkName(FINGERPRINT, 'uid-1')).toBe(linkName(FINGERPRINT, 'uid-1'));
		const names = [undefined, 'uid-1', 'uid-2'].map((uid) => linkName(FINGERPRINT, uid));
		expect(new Set(names).size).toBe(3);
	});

	it('the name of a link never changes between versions of the gateway: old and new replicas must agree', () => {
		expect(linkName(FINGERPRINT, undefined)).toBe('rr-0123456789ab-03898cdda3f3b8cb');
		expect(linkName(FINGERPRINT, '6a1b')).toBe('rr-0123456789ab-2705b8fa1eaba012');
	});

	it('the name of a link is valid as a name and as a successor', () => {
		expect(linkName(FINGERPRINT, 'uid')).toMatch(/^rr-[0-9a-f]{12}-[0-9a-f]{16}$/);
	});
});

describe('the newest', () => {
	const link = (name: string, chain: number) => ({ name, chain }) as RequestLink;

	it('the newest link has the highest number, in whatever order they come', () => {
		const links = [link('b', 1), link('c', 10), link('a', 2)];
		expect(newestOf(links)?.name).toBe('c');
		expect(newestOf(links.toReversed())?.name).toBe('c');
	});

	it('without links there is no newest', () => {
		expect(newestOf([])).toBeUndefined();
	});
});
