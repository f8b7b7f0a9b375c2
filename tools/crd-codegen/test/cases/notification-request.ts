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
const FAILED = { ...CLAIM, state: 'Failed', reason: 'ReceiverUnavailable', refusals: 1 };
const GIVEN_UP = { ...FAILED, final: true };
const LEASE = 'notification-delivery-0123456789abcdef0123456789abcdef/6f1c6e3e';
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
			context: {
				cause: 'completed',
				causeDigest: '0123abcd',
				signalName: 'KubePodCrashLooping',
				severity: 'critical',
				signalFingerprint: 'a'.repeat(64),
				firingTime: TIME,
				chain: 2,
				targetResource: 'shop/Deployment/cart',
				workflow: 'restart',
				execution: 'we-abcdef012345-0123456789abcdef',
				outcome: 'Remediated',
				labels: { team: 'checkout' },
			},
			retryPolicy: { maxAttempts: 3, initialBackoff: '1s', multiplier: 1.5, maxBackoff: '1m' },
			retention: '24h',
		},
		status: {
			phase: 'PartiallySent',
			channels: ['slack', 'email', 'webhook', 'console', 'file', 'log'],
			deliveries: [
				{ ...DELIVERED, lease: LEASE, reason: 'DeliveredElsewhere' },
				{
					channel: 'email',
					state: 'Failed',
					final: true,
					reason: 'RejectedByReceiver',
					attempt: 3,
					refusals: 2,
					notBefore: LATER,
					remaining: ['on-call@example.com'],
					at: LATER,
					error: 'refused',
				},
			],
			counters: { attempts: 5, delivered: 1, failed: 1 },
			completedAt: LATER,
			fencing: { lease: 'notification-delivery-0123456789abcdef', token: 8 },
			conditions: [CONDITION],
		},
	},
	create: [
		{ title: 'no channels: the routing decides', change: { spec: { channels: null } } },
		{
			title: 'a cause that is no word',
			change: { spec: { context: { cause: 'No Workflow' } } },
			wantRefused: /spec\.context\.cause in body should match/,
		},
		{
			title: 'a digest of the cause that is none',
			change: { spec: { context: { causeDigest: 'another question' } } },
			wantRefused: /spec\.context\.causeDigest in body should match/,
		},
		{
			title: 'a fingerprint that is none',
			change: { spec: { context: { signalFingerprint: 'abc' } } },
			wantRefused: /spec\.context\.signalFingerprint in body should match/,
		},
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
		{
			title: 'routed to others than the message names',
			status: { channels: ['log'] },
			wantRefused: /status\.channels: .*status\.channels must be the same/,
		},
		{ title: 'the channels that the message names', status: { channels: ['log', 'slack'] } },
		{
			title: 'routed a second time',
			before: { channels: ['slack', 'log'] },
			status: { channels: null },
			wantRefused: /status\.channels: .*status\.channels is decided once/,
		},
		{
			title: 'given up',
			before: { deliveries: [CLAIM] },
			status: { deliveries: [GIVEN_UP] },
		},
		{
			title: 'a channel that was given up claimed again',
			before: { deliveries: [GIVEN_UP] },
			status: { deliveries: [{ ...CLAIM, attempt: 3, refusals: 1 }] },
			wantRefused: /status\.deliveries\[0\]: .*an entry that was given up is final/,
		},
		{
			title: 'given up while it is claimed',
			status: { deliveries: [{ ...CLAIM, final: true, reason: 'Aborted' }] },
			wantRefused: /status\.deliveries\[0\]\.final: .*only a Failed entry with a reason is given up/,
		},
		{
			title: 'a claim taken over without a higher attempt',
			before: { deliveries: [CLAIM] },
			status: { deliveries: [{ ...CLAIM, claimedBy: 'notification-1_b2', fencingToken: 8 }] },
			wantRefused: /status\.deliveries\[0\]\.claimedBy: .*a takeover raises attempt/,
		},
		{
			title: 'a claim taken over with a higher attempt',
			before: { deliveries: [CLAIM] },
			status: { deliveries: [{ ...CLAIM, attempt: 3, claimedBy: 'notification-1_b2' }] },
		},
		{
			title: 'the end of a claim of another',
			before: { deliveries: [CLAIM] },
			status: { deliveries: [{ ...DELIVERED, claimedBy: 'notification-1_b2' }] },
			wantRefused: /status\.deliveries\[0\]\.claimedBy: .*a claim is ended by its claimant/,
		},
		{
			title: 'fewer refusals',
			before: { deliveries: [FAILED] },
			status: { deliveries: [{ ...CLAIM, attempt: 3, refusals: 0 }] },
			wantRefused: /status\.deliveries\[0\]\.refusals: .*refusals only grow/,
		},
		{
			title: 'refusals removed',
			before: { deliveries: [FAILED] },
			status: { deliveries: [{ ...CLAIM, attempt: 3 }] },
			wantRefused: /status\.deliveries\[0\]\.refusals: .*refusals only grow/,
		},
		{
			title: 'a smaller token of another lease',
			before: { deliveries: [{ ...CLAIM, lease: LEASE }] },
			status: { deliveries: [{ ...CLAIM, attempt: 3, fencingToken: 3, lease: `${LEASE}1` }] },
		},
		{
			title: 'a smaller token of the same lease',
			before: { deliveries: [{ ...CLAIM, lease: LEASE }] },
			status: { deliveries: [{ ...CLAIM, attempt: 3, fencingToken: 3, lease: LEASE }] },
			wantRefused: /token 3 is older than the stored 7 of this channel and lease/,
		},
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
