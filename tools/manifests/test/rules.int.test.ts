// The recording and alerting rules with real promtool: they parse, they give the figures of the targets, and each alert
// fires when it should and not before.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { obtainPart } from '@kubernaut/control-plane';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';

type Rule = { record?: string; alert?: string; expr: string };
type Sample = { series: string; values: string };
type AlertCase = { alert: string; series: Sample[]; quiet: string; fires: string };

const RULES = resolve(import.meta.dirname, '../../../deploy/components/monitoring/rules.yaml');
const { spec } = parse(readFileSync(RULES, 'utf8')) as { spec: { groups: { name: string; rules: Rule[] }[] } };
const directory = mkdtempSync(join(tmpdir(), 'kubernaut-rules-'));
let promtool: string;
beforeAll(async () => {
	promtool = await obtainPart('promtool');
	writeFileSync(join(directory, 'rules.yaml'), stringify(spec));
});
afterAll(() => rmSync(directory, { recursive: true }));

function run(...args: string[]) {
	const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: directory, encoding: 'utf8' });
	return { status, output: `${stdout}${stderr}` };
}

function testRules(test: object): { status: number | null; output: string } {
	writeFileSync(
		join(directory, 'test.yaml'),
		stringify({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests: [test] }),
	);
	return run('test', 'rules', 'test.yaml');
}

it('promtool takes them', () => {
	const { status, output } = run('check', 'rules', 'rules.yaml');
	expect(output).toContain('SUCCESS');
	expect(status).toBe(0);
});

const counter = (series: string, perMinute: number): Sample => ({ series, values: `0+${perMinute}x120` });
const bucket = (name: string, le: string, perMinute: number, labels = ''): Sample =>
	counter(`${name}_bucket{le="${le}"${labels}}`, perMinute);

describe.each(['gateway', 'ro', 'we', 'notification'])('the lock of %s', (prefix) => {
	const app = { gateway: 'gateway', ro: 'orchestrator', we: 'workflow-executor', notification: 'notification' }[prefix];
	const attempts = [
		counter(`${prefix}_lock_acquisition_attempts_total{pod="a"}`, 600),
		counter(`${prefix}_lock_acquisition_attempts_total{pod="b"}`, 400),
		counter(`${prefix}_lock_acquisition_successes_total{pod="a"}`, 570),
		counter(`${prefix}_lock_acquisition_successes_total{pod="b"}`, 390),
		counter(`${prefix}_lock_acquisition_failures_total{pod="a",reason="contention"}`, 30),
		counter(`${prefix}_lock_acquisition_failures_total{pod="b",reason="api_error"}`, 10),
	];

	it('has success without contention, contention and P95 over all replicas', () => {
		const { status, output } = testRules({
			interval: '1m',
			input_series: [
				...attempts,
				bucket(`${prefix}_lock_acquisition_duration_seconds`, '0.01', 90),
				bucket(`${prefix}_lock_acquisition_duration_seconds`, '0.02', 100),
				bucket(`${prefix}_lock_acquisition_duration_seconds`, '+Inf', 100),
			],
			promql_expr_test: [
				['kubernaut:lock_success:ratio5m', 960 / 970],
				['kubernaut:lock_contention:ratio5m', 0.03],
				['kubernaut:lock_acquisition_seconds:p95_5m', 0.015],
			].map(([name, value]) => ({
				expr: `round(${name}{app="${app}"}, 0.000001)`,
				eval_time: '30m',
				exp_samples: [{ labels: `{app="${app}"}`, value: Math.round(Number(value) * 1e6) / 1e6 }],
			})),
		});
		expect(output).toContain('SUCCESS');
		expect(status).toBe(0);
	});

	it('has a success of 1 when nothing failed, also from a few samples of counters that began at different values', () => {
		const { status, output } = testRules({
			interval: '1m',
			input_series: [
				{ series: `${prefix}_lock_acquisition_attempts_total`, values: '5 12 30' },
				{ series: `${prefix}_lock_acquisition_successes_total`, values: '5 10 12' },
				{ series: `${prefix}_lock_acquisition_failures_total{reason="contention"}`, values: '0 2 18' },
				{ series: `${prefix}_lock_acquisition_failures_total{reason="api_error"}`, values: '0 0 0' },
			],
			promql_expr_test: [
				{
					expr: `kubernaut:lock_success:ratio5m{app="${app}"}`,
					eval_time: '2m',
					exp_samples: [{ labels: `kubernaut:lock_success:ratio5m{app="${app}"}`, value: 1 }],
				},
			],
		});
		expect(output).toContain('SUCCESS');
		expect(status).toBe(0);
	});
});

it('the retries of the gateway: success, timeouts, and waits that grow', () => {
	const { status, output } = testRules({
		interval: '1m',
		input_series: [
			counter('gateway_lock_retry_attempts_total', 1000),
			counter('gateway_lock_retry_success_total', 498),
			counter('gateway_lock_retry_timeout_total', 2),
			bucket('gateway_lock_backoff_duration_seconds', '0.1', 50, ',attempt="1"'),
			bucket('gateway_lock_backoff_duration_seconds', '0.5', 90, ',attempt="1"'),
			bucket('gateway_lock_backoff_duration_seconds', '1', 100, ',attempt="1"'),
			bucket('gateway_lock_backoff_duration_seconds', '+Inf', 100, ',attempt="1"'),
		],
		promql_expr_test: [
			['kubernaut:lock_retry_success:ratio5m', 0.996],
			['kubernaut:lock_retry_timeout:ratio5m', 0.002],
			['kubernaut:lock_backoff_seconds:p50_5m', 0.1],
			['kubernaut:lock_backoff_seconds:p95_5m', 0.75],
		].map(([name, value]) => ({
			expr: `round(${name}, 0.0001)`,
			eval_time: '30m',
			exp_samples: [{ labels: '{app="gateway"}', value }],
		})),
	});
	expect(output).toContain('SUCCESS');
	expect(status).toBe(0);
});

/** 100 waits a minute before each of these attempts, of so many seconds in all. */
const waits = (attempts: string[], seconds: number): Sample[] =>
	attempts.flatMap((attempt) => [
		counter(`gateway_lock_backoff_duration_seconds_sum{attempt="${attempt}"}`, seconds),
		counter(`gateway_lock_backoff_duration_seconds_count{attempt="${attempt}"}`, 100),
	]);

/** `quiet`: it does not fire yet; `fires`: it does. */
const ALERTS: AlertCase[] = [
	{
		alert: 'KubernautLockFailures',
		series: [
			counter('ro_lock_acquisition_successes_total', 990),
			counter('ro_lock_acquisition_failures_total{reason="api_error"}', 10),
		],
		quiet: '5m',
		fires: '30m',
	},
	{
		alert: 'KubernautLockContention',
		series: [
			counter('gateway_lock_acquisition_attempts_total', 100),
			counter('gateway_lock_acquisition_failures_total{reason="contention"}', 10),
		],
		quiet: '10m',
		fires: '30m',
	},
	{
		alert: 'KubernautLockSlow',
		series: [
			bucket('notification_lock_acquisition_duration_seconds', '0.02', 50),
			bucket('notification_lock_acquisition_duration_seconds', '0.1', 100),
			bucket('notification_lock_acquisition_duration_seconds', '+Inf', 100),
		],
		quiet: '10m',
		fires: '30m',
	},
	{
		alert: 'KubernautRetriesFail',
		series: [counter('gateway_lock_retry_success_total', 90), counter('gateway_lock_retry_timeout_total', 10)],
		quiet: '5m',
		fires: '30m',
	},
	{
		alert: 'KubernautRetryTimeouts',
		series: [counter('gateway_lock_retry_attempts_total', 100), counter('gateway_lock_retry_timeout_total', 1)],
		quiet: '5m',
		fires: '30m',
	},
	{
		alert: 'KubernautBackoffFlat',
		series: waits(['1', '3'], 60),
		quiet: '20m',
		fires: '60m',
	},
	{
		alert: 'KubernautAppDown',
		series: ['gateway', 'orchestrator', 'workflow-executor'].map((job) => ({
			series: `up{namespace="kubernaut-system",job="${job}"}`,
			values: '1x120',
		})),
		quiet: '2m',
		fires: '10m',
	},
	{
		alert: 'KubernautReplicaNotReady',
		series: [{ series: 'we_ready{pod="a"}', values: '0x120' }],
		quiet: '5m',
		fires: '20m',
	},
	{
		alert: 'KubernautForbidden',
		series: [
			counter('notification_api_requests_total{job="notification",verb="create",resource="leases",code="403"}', 3),
		],
		quiet: '3m',
		fires: '15m',
	},
	{
		alert: 'KubernautSignalsLost',
		series: [{ series: 'gateway_signals_rejected_by_api_total', values: '0x20 1x100' }],
		quiet: '15m',
		fires: '25m',
	},
	{
		alert: 'KubernautSignalsDeferred',
		series: [
			counter('gateway_signals_total{status="deferred"}', 10),
			counter('gateway_signals_total{status="created"}', 90),
		],
		quiet: '10m',
		fires: '40m',
	},
	{
		alert: 'KubernautExecutionsNotCreated',
		series: [counter('ro_execution_create_failures_total{reason="rejected"}', 1)],
		quiet: '5m',
		fires: '30m',
	},
	{
		alert: 'KubernautRunsAbandoned',
		series: [{ series: 'we_runs_abandoned_total', values: '0x20 1x100' }],
		quiet: '15m',
		fires: '25m',
	},
	{
		alert: 'KubernautMessagesNotSent',
		series: [{ series: 'notification_requests_finished_total{phase="Failed"}', values: '0x20 1x100' }],
		quiet: '15m',
		fires: '25m',
	},
	{
		alert: 'KubernautMessageOutcomeUnknown',
		series: [{ series: 'notification_outcome_unknown_total{channel="slack",action="repeated"}', values: '0x20 1x100' }],
		quiet: '15m',
		fires: '25m',
	},
	{
		alert: 'KubernautRoutingFileInvalid',
		series: [{ series: 'notification_routing_file_valid', values: '1x20 0x100' }],
		quiet: '22m',
		fires: '40m',
	},
	{
		alert: 'KubernautPaused',
		series: [{ series: 'ro_pause{scope="everything"}', values: '1x600' }],
		quiet: '2h',
		fires: '5h',
	},
	{
		alert: 'KubernautLogLinesDropped',
		series: [{ series: 'ro_log_lines_dropped_total', values: '0x20 5x100' }],
		quiet: '15m',
		fires: '25m',
	},
];

it('there is a case for every alert', () => {
	const alerts = spec.groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
	expect(ALERTS.map(({ alert }) => alert).toSorted()).toEqual(alerts.toSorted());
});

it.each(ALERTS)('$alert fires when it should, and not before', ({ alert, series, quiet, fires }) => {
	const firing = (at: string, value: number) => ({
		expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
		eval_time: at,
		exp_samples: [{ labels: '{}', value }],
	});
	const { status, output } = testRules({
		interval: '1m',
		input_series: series,
		promql_expr_test: [firing(quiet, 0), firing(fires, 1)],
	});
	expect(output).toContain('SUCCESS');
	expect(status).toBe(0);
});

it.each<{ what: string; alert: string; series: Sample[]; jobs: Record<string, string[]> }>([
	{
		what: 'KubernautAppDown fires for each app that is down, one after the other',
		alert: 'KubernautAppDown',
		series: [
			{ series: 'up{namespace="kubernaut-system",job="gateway",pod="a"}', values: '1x120' },
			{ series: 'up{namespace="kubernaut-system",job="gateway",pod="b"}', values: '0x120' },
			{ series: 'up{namespace="kubernaut-system",job="orchestrator"}', values: '1x120' },
			{ series: 'up{namespace="kubernaut-system",job="workflow-executor"}', values: '0x120' },
			{ series: 'up{namespace="kubernaut-system",job="notification"}', values: '1x20 _x100' },
			{ series: 'up{namespace="of-another-team",job="notification"}', values: '1x120' },
		],
		jobs: { '15m': ['workflow-executor'], '40m': ['notification', 'workflow-executor'] },
	},
	{
		what: 'KubernautBackoffFlat does not fire while waits grow',
		alert: 'KubernautBackoffFlat',
		series: [...waits(['1'], 10), ...waits(['3'], 40)],
		jobs: { '60m': [] },
	},
	{
		what: 'KubernautBackoffFlat does not fire where few signals wait',
		alert: 'KubernautBackoffFlat',
		series: waits(['1'], 10),
		jobs: { '60m': [] },
	},
	{
		what: 'KubernautExecutionsNotCreated does not fire when one create failed once',
		alert: 'KubernautExecutionsNotCreated',
		series: [{ series: 'ro_execution_create_failures_total{reason="unavailable"}', values: '0x20 1x100' }],
		jobs: { '31m': [], '35m': [] },
	},
])('$what', ({ alert, series, jobs }) => {
	const { status, output } = testRules({
		interval: '1m',
		input_series: series,
		promql_expr_test: Object.entries(jobs).map(([at, firing]) => ({
			expr: `count by (job) (ALERTS{alertname="${alert}",alertstate="firing"})`,
			eval_time: at,
			exp_samples: firing.map((job) => ({ labels: `{job="${job}"}`, value: 1 })),
		})),
	});
	expect(output).toContain('SUCCESS');
	expect(status).toBe(0);
});
