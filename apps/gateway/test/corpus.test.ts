// Real alerts and Events: how many targets are right, and how many pairs are rightly one incident or two. The score is
// printed; the numbers that must be reached are those that were asked for, and an exporter is never chosen.
import { describe, expect, it } from 'vitest';
import { parseAlert } from '../src/signal/alertmanager-webhook.ts';
import { eventIn, type KubernetesEvent, parseKubernetesEvent } from '../src/signal/kubernetes-event.ts';
import type { ParsedSignal } from '../src/signal/parsed-signal.ts';
import type { Signal } from '../src/signal/signal.ts';
import { DEFAULT_SIGNAL_RULES, type SignalRules } from '../src/signal/signal-rules.ts';
import { ALERTS, ALERTS_BY_SOURCE } from './corpus/alerts.ts';
import { EVENTS } from './corpus/events.ts';
import { FURTHER_PAIRS } from './corpus/further-incidents.ts';
import { PAIRS as FIRST_PAIRS } from './corpus/incidents.ts';
import type { Labels } from './corpus/scrapes.ts';
import { describeTarget } from './fixtures/describe-target.ts';

const PAIRS = [...FIRST_PAIRS, ...FURTHER_PAIRS];
const RECEPTION = {
	receivedTime: new Date('2026-11-16T20:00:00Z'),
	resolvedAlerts: 'mark',
	storePayload: false,
	rules: DEFAULT_SIGNAL_RULES,
} as const;
/** Of 261 alerts 250 and of 40 pairs 38 were asked for: the same shares. */
const MIN_TARGETS = Math.ceil((250 / 261) * ALERTS.length);
const MIN_INCIDENTS = Math.ceil((38 / 40) * PAIRS.length);

function signalIn(parsed: ParsedSignal): Signal {
	if (!('signal' in parsed)) throw new Error(parsed.message);
	return parsed.signal;
}
const ofAlert = (labels: Labels, rules: SignalRules = DEFAULT_SIGNAL_RULES) =>
	signalIn(parseAlert({ status: 'firing', labels }, 'kubernaut', { ...RECEPTION, rules }));
const ofEvent = (body: unknown) => signalIn(parseKubernetesEvent(eventIn(body) as KubernetesEvent, RECEPTION));

/** In the words of the corpus. */
function describeFound({ target, lookUp }: Signal): string {
	if (lookUp.find === 'node' && target.kind !== 'Node')
		return lookUp.pod === undefined
			? `Node at ${lookUp.address}`
			: `Node of ${lookUp.pod.namespace}/${lookUp.pod.name}`;
	return target.kind === 'Alert' ? 'none' : describeTarget(target);
}
/** Names of the alerts that are taken for alerts about what measured them: its pod or its Service. Its node is not looked for. */
function chosenExporters(rules: SignalRules): (string | undefined)[] {
	return ALERTS.filter(({ labels, want }) => {
		const found = describeFound(ofAlert(labels, rules));
		const namespace = labels['namespace'] ?? labels['kubernetes_namespace'];
		const [, service, of] = /^([a-z0-9-]+)\.([a-z0-9-]+)\.svc/.exec(labels['instance'] ?? '') ?? [];
		const own = [
			`${namespace}/Pod/${labels['pod'] ?? labels['kubernetes_pod_name']}`,
			`${namespace}/Service/${labels['service']}`,
			`${of}/Service/${service}`,
		];
		return found !== want && own.includes(found);
	}).map(({ labels }) => labels['alertname']);
}
function score(what: string, wrong: readonly string[], all: number): void {
	console.log(`${what}: ${all - wrong.length} of ${all} right${wrong.map((line) => `\n  ${line}`).join('')}`);
}

describe('the corpus', () => {
	it(`at least ${MIN_TARGETS} of ${ALERTS.length} alerts have the right target`, () => {
		const wrong = Object.entries(ALERTS_BY_SOURCE).flatMap(([source, alerts]) =>
			alerts.flatMap(({ labels, want }) => {
				const found = describeFound(ofAlert(labels));
				return found === want ? [] : [`${source}: ${labels['alertname']} is about ${want}, found ${found}`];
			}),
		);
		score('targets of alerts', wrong, ALERTS.length);
		expect(ALERTS.length - wrong.length).toBeGreaterThanOrEqual(MIN_TARGETS);
	});

	it('no exporter is the target of an alert about something else, but those whose names do not show that they are one', () => {
		expect(chosenExporters(DEFAULT_SIGNAL_RULES)).toEqual([
			'VmiNotReady',
			'CalicoIpamFull',
			'MonitorDown',
			'GatusEndpointDown',
			'SpanErrors',
			'SpotInterruption',
			'AzureDatabaseCpuHigh',
			'SyntheticCheckFailed',
			'HostDiskFullByOpenTelemetry',
		]);
	});

	it('with EXPORTERS, no exporter is the target of an alert about something else', () => {
		expect(
			chosenExporters({
				...DEFAULT_SIGNAL_RULES,
				exporters: [
					'virt-handler',
					'calico-kube-controllers',
					'uptime-kuma',
					'gatus',
					'metrics-generator',
					'node-termination-handler',
					'promitor',
					'kuberhealthy',
					'otel-agent',
				],
			}),
		).toEqual([]);
	});

	it(`the object of all ${EVENTS.length} Events is found`, () => {
		const wrong = EVENTS.flatMap(({ body, want }) => {
			const found = describeFound(ofEvent(body));
			return found === want ? [] : [`${JSON.stringify(body)} is about ${want}, found ${found}`];
		});
		score('objects of Events', wrong, EVENTS.length);
		expect(wrong).toEqual([]);
	});

	it(`at least ${MIN_INCIDENTS} of ${PAIRS.length} pairs are rightly one incident or two`, () => {
		const wrong = PAIRS.flatMap(({ why, a, b, want }) => {
			const found = ofAlert(a).fingerprint === ofAlert(b).fingerprint ? 'one' : 'two';
			return found === want ? [] : [`${why}: ${want}, found ${found}`];
		});
		score('incidents', wrong, PAIRS.length);
		expect(PAIRS.length - wrong.length).toBeGreaterThanOrEqual(MIN_INCIDENTS);
	});
});
