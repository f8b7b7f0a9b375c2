import { CONDITION, type CustomResource, FENCING_CASES, hex, type KindCases, LATER, TIME, UID } from './case.ts';

const CLAIM = {
	channel: 'slack',
	state: 'Claimed',
	attempt: 2,
	claimedBy: 'notification-0_a1',
	fencingToken: 7,
	at: TIME,
};
const DELIVERED = { ...CLAIM, state: 'Delivered' };
const ON_LOG = { channel: 'log', state: 'Delivered', attempt: 1, at: TIME };

function valid(): CustomResource {
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'NotificationRequest',
		metadata: { name: `nr-${hex(8)}` },
		spec: {
			type: 'Escalation',
			subject: 'No workflow for KubePodCrashLooping',
			body: 'No workflow matches the signal.',
			channels: ['slack', 'log'],
		},
	};
}

export const NOTIFICATION_REQUEST_CASES: KindCases = {
	kind: 'NotificationRequest',
	valid,
	full: {
		spec: {
			remediationRequestRef: { name: 'rr-abcdef012345-0123456789abcdef', uid: UID },
			type: 'Completion',
			priority: 'Low',
			subject: 'Done',
			body: 'It is repaired.',
			channels: ['slack', 'email', 'webhook', 'console', 'file', 'log'],
			retryPolicy: { maxAttempts: 3, initialBackoff: '1s', multiplier: 1.5, maxBackoff: '1m' },
			retention: '24h',
		},
		status: {
			phase: 'PartiallySent',
			deliveries: [DELIVERED, { channel: 'email', state: 'Failed', attempt: 3, at: LATER, error: 'refused' }],
			counters: { attempts: 5, delivered: 1, failed: 1 },
			completedAt: LATER,
			fencing: { lease: 'notification-delivery-0123456789abcdef', token: 8 },
			conditions: [CONDITION],
		},
	},
	create: [
		{
			title: 'the defaults',
			change: {},
			wantStored: {
				spec: {
					priority: 'Medium',
					retryPolicy: { maxAttempts: 5, initialBackoff: '30s', multiplier: 2, maxBackoff: '480s' },
				},
			},
		},
		{
			title: 'the rest of a retry policy',
			change: { spec: { retryPolicy: { maxAttempts: 1 } } },
			wantStored: {
				spec: { retryPolicy: { maxAttempts: 1, initialBackoff: '30s', multiplier: 2, maxBackoff: '480s' } },
			},
		},
		{
			title: 'no channel',
			change: { spec: { channels: [] } },
			wantRefused: /spec\.channels in body should have at least 1 items/,
		},
		{
			title: 'a channel twice, which would send twice',
			change: { spec: { channels: ['slack', 'slack'] } },
			wantRefused: /spec\.channels\[1\]: Duplicate value: "slack"/,
		},
		{
			title: 'a channel that does not exist',
			change: { spec: { channels: ['pigeon'] } },
			wantRefused: /spec\.channels\[0\]: Unsupported value: "pigeon": supported values: "slack", "email"/,
		},
		{
			title: 'a type that does not exist',
			change: { spec: { type: 'Joke' } },
			wantRefused: /spec\.type: Unsupported value: "Joke"/,
		},
		{
			title: 'no body',
			change: { spec: { body: null } },
			wantRefused: /spec\.body: Required value/,
		},
		{
			title: 'no attempt at all',
			change: { spec: { retryPolicy: { maxAttempts: 0 } } },
			wantRefused: /spec\.retryPolicy\.maxAttempts in body should be greater than or equal to 1/,
		},
		{
			title: 'pauses that get shorter',
			change: { spec: { retryPolicy: { multiplier: 0.5 } } },
			wantRefused: /spec\.retryPolicy\.multiplier in body should be greater than or equal to 1/,
		},
		{
			title: 'no pause',
			change: { spec: { retryPolicy: { initialBackoff: '0s' } } },
			wantRefused: /spec\.retryPolicy\.initialBackoff: .*must be longer than 0s/,
		},
		{
			title: 'pauses with a fraction',
			change: { spec: { retryPolicy: { initialBackoff: '1.5s' } } },
			wantRefused: /spec\.retryPolicy\.initialBackoff: .*write a duration like 30m, 1h30m or 500ms/,
		},
		{
			title: 'a longest pause without a unit',
			change: { spec: { retryPolicy: { maxBackoff: '480' } } },
			wantRefused: /spec\.retryPolicy\.maxBackoff: .*write a duration like 30m, 1h30m or 500ms/,
		},
		{
			title: 'a longest pause below the first',
			change: { spec: { retryPolicy: { initialBackoff: '1h' } } },
			wantRefused: /spec\.retryPolicy\.maxBackoff: .*maxBackoff must not be shorter than initialBackoff/,
		},
		{
			title: 'a retention in days, which is no unit',
			change: { spec: { retention: '7d' } },
			wantRefused: /spec\.retention: .*write a duration like 30m, 1h30m or 500ms/,
		},
	],
	update: [
		{ title: 'labels', patch: { metadata: { labels: { team: 'a' } } } },
		{ title: 'the channels in another order', patch: { spec: { channels: ['log', 'slack'] } } },
		{
			title: 'another text',
			patch: { spec: { body: 'All is well.' } },
			wantRefused: /spec: Forbidden: spec is immutable: .*another message is another NotificationRequest/,
		},
		{
			title: 'a channel more',
			patch: { spec: { channels: ['slack', 'log', 'email'] } },
			wantRefused: /spec is immutable/,
		},
	],
	status: [
		...FENCING_CASES,
		{ title: 'a claim', status: { phase: 'Sending', deliveries: [CLAIM] } },
		{
			title: 'a claim without a claimant',
			status: { deliveries: [{ ...CLAIM, claimedBy: undefined }] },
			wantRefused: /status\.deliveries\[0\]\.claimedBy: Required value: a Claimed entry must say by whom/,
		},
		{ title: 'a delivery', before: { deliveries: [CLAIM] }, status: { deliveries: [DELIVERED] } },
		{
			title: 'a failed attempt, then a claim by another',
			before: { deliveries: [{ ...CLAIM, state: 'Failed' }, ON_LOG] },
			status: { deliveries: [ON_LOG, { ...CLAIM, attempt: 3, claimedBy: 'notification-1_b2', fencingToken: 8 }] },
		},
		{
			title: 'a delivered channel claimed again',
			before: { deliveries: [ON_LOG, DELIVERED] },
			status: { deliveries: [{ ...CLAIM, attempt: 3, fencingToken: 8 }, ON_LOG] },
			wantRefused: /status\.deliveries\[0\]: .*a Delivered entry is final, .*must not be sent again/,
		},
		{
			title: 'an older attempt',
			before: { deliveries: [CLAIM] },
			status: { deliveries: [{ ...CLAIM, attempt: 1 }] },
			wantRefused: /status\.deliveries\[0\]\.attempt: .*2 is stored, and 1 belongs to an older claim/,
		},
		{
			title: 'an older token of the same channel',
			before: { deliveries: [CLAIM] },
			status: { deliveries: [{ ...CLAIM, attempt: 3, fencingToken: 6 }] },
			wantRefused: /status\.deliveries\[0\]\.fencingToken: .*token 6 is older than the stored 7 .*do not send/,
		},
		{
			title: 'an older token on another channel',
			before: { deliveries: [CLAIM] },
			status: { deliveries: [CLAIM, { ...CLAIM, channel: 'log', fencingToken: 3 }] },
		},
		{
			title: 'the token of a channel removed',
			before: { deliveries: [CLAIM] },
			status: { deliveries: [{ ...CLAIM, fencingToken: undefined }] },
			wantRefused: /status\.deliveries\[0\]\.fencingToken: .*cannot be removed; keep the stored one/,
		},
		{
			title: 'the entry of a channel removed',
			before: { deliveries: [CLAIM, ON_LOG] },
			status: { deliveries: [ON_LOG] },
			wantRefused: /status\.deliveries: .*cannot be removed, because a channel without an entry counts as never tried/,
		},
		{
			title: 'all entries removed',
			before: { deliveries: [CLAIM] },
			status: { deliveries: null },
			wantRefused: /status\.deliveries: .*cannot be removed/,
		},
		{
			title: 'a channel that was not asked for',
			status: { deliveries: [{ ...DELIVERED, channel: 'email' }] },
			wantRefused: /status\.deliveries: .*must name channels of spec\.channels only/,
		},
		{
			title: 'two entries of one channel',
			status: { deliveries: [CLAIM, CLAIM] },
			wantRefused: /status\.deliveries\[1\]: Duplicate value/,
		},
		{ title: 'sent on every channel', status: { phase: 'Sent', deliveries: [DELIVERED, ON_LOG] } },
		{
			title: 'sent, but not on every channel',
			status: { phase: 'Sent', deliveries: [ON_LOG, { ...CLAIM, state: 'Failed' }] },
			wantRefused: /status\.phase: .*phase Sent needs a Delivered entry .* for every channel/,
		},
		...['PartiallySent', 'Failed'].map((phase) => ({
			title: `${phase} is final`,
			before: { phase },
			status: { phase: 'Retrying' },
			wantRefused: new RegExp(`status\\.phase: .*phase ${phase} is terminal and final`),
		})),
		{
			title: 'Sent is final',
			before: { phase: 'Sent', deliveries: [DELIVERED, ON_LOG] },
			status: { phase: null },
			wantRefused: /phase Sent is terminal and final/,
		},
	],
};
