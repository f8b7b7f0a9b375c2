import { CONDITION, type CustomResource, FENCING_CASES, hex, type KindCases, LATER, TIME, UID } from './case.ts';

const FINGERPRINT = `abcdef012345${'0'.repeat(52)}`;
const PREFIX = 'rr-abcdef012345-';
const LATEST = '2024-11-16T11:00:00Z';
const ENDED = { startsAt: TIME, endsAt: LATER };
const SUCCESSOR = `${PREFIX}fedcba9876543210`;
const TERMINAL_PHASES = ['Completed', 'Failed', 'TimedOut', 'Skipped', 'Cancelled'];

function valid(): CustomResource {
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationRequest',
		metadata: { name: PREFIX + hex(16) },
		spec: {
			signalFingerprint: FINGERPRINT,
			signalName: 'KubePodCrashLooping',
			severity: 'critical',
			signalType: 'alert',
			signalSource: 'alertmanager',
			alertId: 'a',
			targetResource: { kind: 'Deployment', name: 'payment-api', namespace: 'production' },
			firingTime: TIME,
			receivedTime: TIME,
			chain: 0,
		},
	};
}

export const REMEDIATION_REQUEST_CASES: KindCases = {
	kind: 'RemediationRequest',
	valid,
	full: {
		spec: {
			signalFingerprint: FINGERPRINT,
			signalName: 'BackOff',
			severity: 'warning',
			signalType: 'event',
			signalSource: 'kubelet',
			targetSource: 'Owner',
			subject: { kind: 'Pod', name: 'ledger-0', namespace: 'finance', apiVersion: 'v1' },
			alertId: '0123456789abcdef',
			targetResource: { kind: 'StatefulSet', name: 'ledger', namespace: 'finance', apiVersion: 'apps/v1' },
			firingTime: TIME,
			receivedTime: LATER,
			signalLabels: { team: 'payments', 'weird label': 'ünïcödé' },
			signalAnnotations: { summary: 'It restarts\nagain and again.' },
			originalPayload: '{"reason":"BackOff"}',
			chain: 3,
		},
		status: {
			deduplication: {
				firstSeenAt: TIME,
				lastSeenAt: TIME,
				lastFiringTime: LATER,
				occurrenceCount: 12,
				slots: { 'gateway-6d5f7c-x2x9z_0f1e2d3c': 7, 'gateway.0_a1b2c3d4': 2 },
				base: 3,
				fencing: { lease: 'gw-lock-0123456789abcdef', token: 41 },
			},
			successor: { name: SUCCESSOR },
			alerts: { '0123456789abcdef': ENDED, fedcba9876543210: ENDED },
			alertsOverflow: false,
			signalResolvedAt: LATER,
			fencing: { lease: 'ro-lock-0123456789abcdef', token: 42 },
			overallPhase: 'Failed',
			blockReason: 'ResourceBusy',
			blockMessage: 'another execution holds finance/StatefulSet/ledger',
			blockedUntil: LATER,
			blockedSince: TIME,
			blockingWorkflowExecution: { name: 'we-000000000000-0000000000000000', uid: UID },
			duplicateOf: { name: SUCCESSOR, uid: UID },
			approval: {
				digest: '0123456789abcdef'.repeat(4),
				decision: 'Approved',
				name: 'approval-1',
				approver: 'on-call@example.com',
				verified: true,
			},
			workflowExecutionRef: { name: 'we-000000000000-1111111111111111', uid: UID },
			notificationRequestRefs: [{ name: 'nr-1', uid: UID }],
			outcome: 'NotRemediated',
			failureReason: 'the task rollout-restart failed',
			startTime: TIME,
			completedAt: LATER,
			conditions: [CONDITION],
		},
	},
	create: [
		{
			title: 'a new one has been seen once, although a create drops the status',
			change: { status: { deduplication: { occurrenceCount: 7 }, overallPhase: 'Completed' } },
			wantStored: { status: { deduplication: { occurrenceCount: 1 } } },
		},
		{ title: 'a cluster-scoped target', change: { spec: { targetResource: { kind: 'Node', namespace: null } } } },
		{
			title: 'a target with a name that only RBAC uses',
			change: { spec: { targetResource: { kind: 'ClusterRole', name: 'system:node', namespace: null } } },
		},
		{ title: 'a payload as long as allowed', change: { spec: { originalPayload: 'x'.repeat(65_536) } } },
		{
			title: 'a payload that is too long',
			change: { spec: { originalPayload: 'x'.repeat(65_537) } },
			wantRefused: /spec\.originalPayload: Too long: may not be more than 65536/,
		},
		{
			title: 'a name that was made by hand',
			change: { metadata: { name: 'my-remediation' } },
			wantRefused: /metadata\.name must be rr-<first 12 digits of spec\.signalFingerprint>/,
		},
		{
			title: 'the name of another signal',
			change: { metadata: { name: 'rr-000000000000-0123456789abcdef' } },
			wantRefused: /metadata\.name must be rr-<first 12 digits/,
		},
		{
			title: 'a name that the server made up',
			change: { metadata: { name: null, generateName: PREFIX } },
			wantRefused: /metadata\.name must be rr-<first 12 digits/,
		},
		{
			title: 'a fingerprint in capitals',
			change: { spec: { signalFingerprint: FINGERPRINT.toUpperCase() } },
			wantRefused: /spec\.signalFingerprint in body should match '\^\[0-9a-f\]\{64\}\$'/,
		},
		{
			title: 'a short fingerprint',
			change: { spec: { signalFingerprint: 'abcdef012345' } },
			wantRefused: /spec\.signalFingerprint in body should match/,
		},
		{
			title: 'no spec',
			change: { spec: null },
			wantRefused: /spec: Required value/,
		},
		{
			title: 'no signal name',
			change: { spec: { signalName: null } },
			wantRefused: /spec\.signalName: Required value/,
		},
		{
			title: 'an empty signal name',
			change: { spec: { signalName: '' } },
			wantRefused: /spec\.signalName in body should be at least 1 chars long/,
		},
		{
			title: 'an unknown type of signal',
			change: { spec: { signalType: 'rumour' } },
			wantRefused: /spec\.signalType: Unsupported value: "rumour": supported values: "alert", "event"/,
		},
		{
			title: 'a kind that the API server does not spell so',
			change: { spec: { targetResource: { kind: 'deployment' } } },
			wantRefused: /spec\.targetResource\.kind: .*write the kind as the API server spells it, for example Deployment/,
		},
		{
			title: 'a target name with a slash, which would make the canonical name ambiguous',
			change: { spec: { targetResource: { name: 'a/b' } } },
			wantRefused:
				/spec\.targetResource\.name: .*a name has no spaces, no control characters, no slash and no percent sign/,
		},
		...['..', 'a b', 'a\u0007', 'a%b'].map((name) => ({
			title: `a target of a kind that takes path segments, named ${JSON.stringify(name)}`,
			change: { spec: { targetResource: { kind: 'ClusterRole', name, namespace: null } } },
			wantRefused: /spec\.targetResource\.name: .*a name has no spaces/,
		})),
		...['--all', '$(id)', '`id`', ';id', '*', 'A', 'a_b', 'a.', '.a', 'a..b', 'a:b'].map((name) => ({
			title: `a Deployment named ${name}`,
			change: { spec: { targetResource: { name } } },
			wantRefused: /spec\.targetResource\.name: .*a name of this kind has lower case letters, digits, hyphens and dots/,
		})),
		{
			title: 'a custom resource with a name that no custom resource can have',
			change: { spec: { targetResource: { kind: 'Kafka', name: 'a:b' } } },
			wantRefused: /a name of this kind has lower case letters/,
		},
		{ title: 'a custom resource', change: { spec: { targetResource: { kind: 'Kafka', name: 'orders.v1' } } } },
		{
			title: 'an alert that stands for itself',
			change: { spec: { targetResource: { kind: 'Alert', name: 'Disk-full_1.x-0123456789abcdef' } } },
		},
		{
			title: 'an alert that a command would take for an option',
			change: { spec: { targetResource: { kind: 'Alert', name: '--all-0123456789abcdef' } } },
			wantRefused: /a name of this kind has lower case letters/,
		},
		{
			title: 'the APIService of the core group',
			change: { spec: { targetResource: { kind: 'APIService', name: 'v1.', namespace: null } } },
		},
		{
			title: 'a namespace that cannot exist',
			change: { spec: { targetResource: { namespace: 'Production' } } },
			wantRefused: /spec\.targetResource\.namespace in body should match/,
		},
		{
			title: 'a time that is none',
			change: { spec: { firingTime: 'yesterday' } },
			wantRefused: /spec\.firingTime in body must be of type date-time: "yesterday"/,
		},
		{
			title: 'a source of the target that does not exist',
			change: { spec: { targetSource: 'Guess' } },
			wantRefused: /spec\.targetSource: Unsupported value: "Guess": supported values: "Named", "Owner"/,
		},
		{
			title: 'a subject of a kind that the API server does not spell so',
			change: { spec: { subject: { kind: 'pod', name: 'cart-0' } } },
			wantRefused: /spec\.subject\.kind: .*write the kind of the subject as the API server spells it/,
		},
		{
			title: 'a subject that a command would take for an option',
			change: { spec: { subject: { kind: 'Pod', name: '--all' } } },
			wantRefused: /spec\.subject\.name: .*the name of a subject has lower case letters, digits, hyphens and dots/,
		},
		{
			title: 'a subject of a kind that takes path segments, with a slash',
			change: { spec: { subject: { kind: 'ClusterRole', name: 'a/b' } } },
			wantRefused: /spec\.subject\.name: .*the name of a subject has no spaces, no control characters, no slash/,
		},
		{
			title: 'a chain that begins below 0',
			change: { spec: { chain: -1 } },
			wantRefused: /spec\.chain in body should be greater than or equal to 0/,
		},
		{
			title: 'too many labels',
			change: { spec: { signalLabels: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`l${i}`, ''])) } },
			wantRefused: /spec\.signalLabels: Too many: 65: must have at most 64 items/,
		},
	],
	update: [
		{ title: 'labels and annotations', patch: { metadata: { labels: { team: 'a' }, annotations: { note: 'b' } } } },
		{
			title: 'the same time in other words',
			patch: { spec: { firingTime: TIME.replace('Z', '.000Z') } },
		},
		{
			title: 'another severity',
			patch: { spec: { severity: 'info' } },
			wantRefused: /spec: Forbidden: spec is immutable: .*another signal is another RemediationRequest/,
		},
		{
			title: 'another namespace of the target (a reserved word of CEL)',
			patch: { spec: { targetResource: { namespace: 'staging' } } },
			wantRefused: /spec is immutable/,
		},
		{
			title: 'one optional field for another',
			patch: { spec: { targetResource: { namespace: null, apiVersion: 'apps/v1' } } },
			wantRefused: /spec is immutable/,
		},
		{
			title: 'a label added',
			patch: { spec: { signalLabels: { team: 'a' } } },
			wantRefused: /spec is immutable/,
		},
	],
	status: [
		...FENCING_CASES,
		{
			title: 'the two writers change their own parts only',
			before: {
				deduplication: { occurrenceCount: 2, slots: { a: 1 }, fencing: { lease: 'gw', token: 5 } },
				fencing: { lease: 'ro', token: 6 },
				overallPhase: 'Pending',
			},
			status: { deduplication: { occurrenceCount: 3, slots: { b: 1 } } },
			wantStored: {
				status: {
					deduplication: { occurrenceCount: 3, slots: { a: 1, b: 1 }, fencing: { lease: 'gw', token: 5 } },
					fencing: { lease: 'ro', token: 6 },
					overallPhase: 'Pending',
				},
			},
		},
		{
			title: "the count stays when the orchestrator's part comes first",
			status: { overallPhase: 'Pending' },
			wantStored: { status: { overallPhase: 'Pending', deduplication: { occurrenceCount: 1 } } },
		},
		{
			title: 'a new one has empty slots and a base of 0 to count on',
			status: { overallPhase: 'Pending' },
			wantStored: { status: { deduplication: { slots: {}, base: 0 } } },
		},
		{
			title: 'a lower count',
			before: { deduplication: { slots: { a: 4 }, occurrenceCount: 5 } },
			status: { deduplication: { occurrenceCount: 4 } },
			wantRefused: /status\.deduplication\.occurrenceCount: .*5 is stored, and 4 would lose signals/,
		},
		{
			title: 'the deduplication removed, which would count from 1 again',
			before: { deduplication: { slots: { a: 4 }, occurrenceCount: 5 } },
			status: { deduplication: null },
			wantRefused: /5 is stored, and 1 would lose signals/,
		},
		{
			title: 'a readable count that is behind, and catches up',
			before: { deduplication: { slots: { a: 4 } } },
			status: { deduplication: { occurrenceCount: 5 } },
		},
		{
			title: 'a readable count above what was counted',
			before: { deduplication: { slots: { a: 4 }, base: 2 } },
			status: { deduplication: { occurrenceCount: 8 } },
			wantRefused: /status\.deduplication\.occurrenceCount: .*at most 1 \+ base \+ all slots/,
		},
		{
			title: 'a slot that shrinks',
			before: { deduplication: { slots: { a: 4, b: 2 } } },
			status: { deduplication: { slots: { a: 3 } } },
			wantRefused: /status\.deduplication\.slots: .*base and slots together only grow/,
		},
		{
			title: 'a slot removed',
			before: { deduplication: { slots: { a: 4, b: 2 } } },
			status: { deduplication: { slots: { a: null } } },
			wantRefused: /base and slots together only grow/,
		},
		{
			title: 'all slots removed',
			before: { deduplication: { slots: { a: 4 } } },
			status: { deduplication: { slots: null } },
			wantRefused: /base and slots together only grow/,
		},
		{
			title: 'a base that shrinks',
			before: { deduplication: { base: 4 } },
			status: { deduplication: { base: null } },
			wantRefused: /base and slots together only grow/,
		},
		{
			title: 'a slot folded into the base',
			before: { deduplication: { slots: { a: 4, b: 2 }, base: 1 } },
			status: { deduplication: { slots: { a: null }, base: 5 } },
			wantStored: { status: { deduplication: { slots: { b: 2 }, base: 5 } } },
		},
		{
			title: 'as many slots as allowed',
			status: { deduplication: { slots: Object.fromEntries(Array.from({ length: 128 }, (_, i) => [`s${i}`, 1])) } },
		},
		{
			title: "an older token of the gateway's lease",
			before: { deduplication: { fencing: { lease: 'gw', token: 5 } } },
			status: { deduplication: { fencing: { lease: 'gw', token: 4 } } },
			wantRefused: /status\.deduplication\.fencing\.token: .*token 4 is older than the stored 5/,
		},
		{
			title: "the gateway's fencing removed",
			before: { deduplication: { fencing: { lease: 'gw', token: 5 } } },
			status: { deduplication: { fencing: null } },
			wantRefused: /status\.deduplication\.fencing: .*cannot be removed/,
		},
		{
			title: 'a new one has no alerts beside the one in its spec',
			status: { overallPhase: 'Pending' },
			wantStored: { status: { alerts: {} } },
		},
		{
			title: 'an alert that ends beside one that fires',
			before: { alerts: { a: { startsAt: TIME }, b: { startsAt: TIME } } },
			status: { alerts: { a: { endsAt: LATER } } },
			wantStored: { status: { alerts: { a: { startsAt: TIME, endsAt: LATER }, b: { startsAt: TIME } } } },
		},
		{
			title: 'an alert that fires again after its end',
			before: { alerts: { a: ENDED } },
			status: { alerts: { a: { startsAt: LATEST, endsAt: null } } },
		},
		{
			title: 'an alert that ends before it starts',
			status: { alerts: { a: { startsAt: LATER, endsAt: TIME } } },
			wantRefused: /status\.alerts\[a\]\.endsAt: .*an alert ends after it starts/,
		},
		{
			title: 'an alert that goes back to an older start',
			before: { alerts: { a: { startsAt: LATER } } },
			status: { alerts: { a: { startsAt: TIME } } },
			wantRefused: /status\.alerts\[a\]\.startsAt: .*the start of an alert only moves forward/,
		},
		{
			title: 'an alert that ended, opened again by a late count',
			before: { alerts: { a: ENDED } },
			status: { alerts: { a: { endsAt: null } } },
			wantRefused: /status\.alerts\[a\]\.endsAt: .*an alert that ended fires again only with a start after that end/,
		},
		{
			title: 'resolved when all of its alerts have ended',
			before: { alerts: { a: ENDED } },
			status: { signalResolvedAt: LATER },
		},
		{
			title: 'resolved while an alert fires',
			before: { alerts: { a: ENDED, b: { startsAt: TIME } } },
			status: { signalResolvedAt: LATER },
			wantRefused: /status\.signalResolvedAt: .*cannot stand beside an alert in status\.alerts that still fires/,
		},
		{
			title: 'an alert that begins while it is resolved',
			before: { alerts: { a: ENDED }, signalResolvedAt: LATER },
			status: { alerts: { b: { startsAt: LATER } } },
			wantRefused: /cannot stand beside an alert in status\.alerts that still fires/,
		},
		{
			title: 'resolved without the end of the alert that made it',
			before: { alerts: { b: ENDED } },
			status: { signalResolvedAt: LATER },
			wantRefused: /status\.signalResolvedAt: .*needs the end of the alert that made this RemediationRequest/,
		},
		{
			title: 'resolved with more alerts than it can follow',
			before: { alerts: { a: ENDED }, alertsOverflow: true },
			status: { signalResolvedAt: LATER },
			wantRefused: /status\.signalResolvedAt: .*cannot stand beside status\.alertsOverflow/,
		},
		{
			title: 'the sign that it has more alerts than it can follow, removed',
			before: { alertsOverflow: true },
			status: { alertsOverflow: null },
			wantRefused: /status\.alertsOverflow: .*cannot be removed/,
		},
		{
			title: 'a blocked one that says why',
			status: { overallPhase: 'Blocked', blockReason: 'AwaitingApproval' },
		},
		{
			title: 'a blocked one that does not say why',
			status: { overallPhase: 'Blocked' },
			wantRefused: /status\.blockReason: Required value: a Blocked RemediationRequest must say why/,
		},
		{
			title: 'a phase that does not exist',
			status: { overallPhase: 'Running' },
			wantRefused: /status\.overallPhase: Unsupported value: "Running": supported values: "Pending", "Executing"/,
		},
		{
			title: 'from Executing back to Pending',
			before: { overallPhase: 'Executing' },
			status: { overallPhase: 'Pending' },
		},
		...TERMINAL_PHASES.map((phase) => ({
			title: `${phase} is final`,
			before: { overallPhase: phase },
			status: { overallPhase: phase === 'Failed' ? 'Completed' : 'Failed' },
			wantRefused: new RegExp(`status\\.overallPhase: .*overallPhase ${phase} is terminal and final`),
		})),
		{
			title: 'a terminal phase removed',
			before: { overallPhase: 'Completed' },
			status: { overallPhase: null },
			wantRefused: /overallPhase Completed is terminal and final/,
		},
		{
			title: 'a terminal status removed',
			before: { overallPhase: 'Completed' },
			status: null,
			wantRefused: /overallPhase Completed is terminal and final/,
		},
		...TERMINAL_PHASES.map((phase) => ({
			title: `a signal counted on one that is ${phase}`,
			before: { overallPhase: phase, deduplication: { slots: { a: 1 } } },
			status: { deduplication: { slots: { a: 2 } } },
			wantRefused: /status\.deduplication\.slots: .*a finished RemediationRequest counts no more signals/,
		})),
		{
			title: 'a slot folded on a finished one',
			before: { overallPhase: 'Completed', deduplication: { slots: { a: 1 } } },
			status: { deduplication: { slots: { a: null }, base: 1 } },
			wantRefused: /a finished RemediationRequest counts no more signals/,
		},
		{
			title: 'the readable count of a finished one catches up',
			before: { overallPhase: 'Completed', deduplication: { slots: { a: 1 } } },
			status: { deduplication: { occurrenceCount: 2 } },
		},
		{
			title: 'a finished one gets its successor and its notification',
			before: { overallPhase: 'Completed' },
			status: { successor: { name: SUCCESSOR }, notificationRequestRefs: [{ name: 'nr-1', uid: UID }] },
		},
		{
			title: 'the same successor again',
			before: { successor: { name: SUCCESSOR } },
			status: { successor: { name: SUCCESSOR } },
		},
		{
			title: 'another successor',
			before: { successor: { name: SUCCESSOR } },
			status: { successor: { name: `${PREFIX}0000000000000000` } },
			wantRefused: /status\.successor: .*written once: .*would fork the chain/,
		},
		{
			title: 'the successor removed',
			before: { successor: { name: SUCCESSOR } },
			status: { successor: null },
			wantRefused: /status\.successor: .*written once/,
		},
		{
			title: 'a successor of another signal',
			status: { successor: { name: 'rr-000000000000-0123456789abcdef' } },
			wantRefused: /status\.successor: .*another RemediationRequest of the same signal/,
		},
		{
			title: 'itself as its successor',
			status: (name) => ({ successor: { name } }),
			wantRefused: /status\.successor: .*another RemediationRequest of the same signal/,
		},
		{
			title: 'two notifications of one name',
			status: {
				notificationRequestRefs: [
					{ name: 'nr-1', uid: UID },
					{ name: 'nr-1', uid: UID },
				],
			},
			wantRefused: /status\.notificationRequestRefs\[1\]: Duplicate value/,
		},
		{
			title: 'an outcome in a sentence',
			status: { outcome: 'it went well' },
			wantRefused: /status\.outcome: .*should match/,
		},
		{
			title: 'two conditions of one type',
			status: { conditions: [CONDITION, CONDITION] },
			wantRefused: /status\.conditions\[1\]: Duplicate value/,
		},
	],
};
