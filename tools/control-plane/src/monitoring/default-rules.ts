// The alerting and recording rules that kube-prometheus-stack installs by default, from its chart's Go module: kube-prometheus'
// rules as a cluster has them. The templates are filled in as Helm does it with the chart's default values and the
// release `kps` in the namespace `monitoring`; only what these files use is understood, and anything else is refused.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { GO_MODULES } from '../parts/build-part.ts';
import { askGo, goEnvironment } from '../parts/go-environment.ts';

export type Rule = {
	readonly alert?: string;
	readonly record?: string;
	readonly expr: string;
	readonly for?: string;
	readonly labels?: Readonly<Record<string, string>>;
	readonly annotations?: Readonly<Record<string, string>>;
};
export type RuleGroup = { readonly name: string; readonly interval?: string; readonly rules: readonly Rule[] };

const MODULE = 'github.com/prometheus-community/helm-charts';
const CHART = 'charts/kube-prometheus-stack';
const RULES = 'templates/prometheus/rules-1.14';

const VARIABLES: Readonly<Record<string, string>> = {
	$kubeStateMetricsJob: 'kube-state-metrics',
	$kubeApiserverJob: 'apiserver',
	$kubeletJob: 'kubelet',
	$kubeSchedulerJob: 'kube-scheduler',
	$kubeControllerManagerJob: 'kube-controller-manager',
	$kubeProxyJob: 'kube-proxy',
	$prometheusJob: 'kps-kube-prometheus-stack-prometheus',
	$alertmanagerJob: 'kps-kube-prometheus-stack-alertmanager',
	$operatorJob: 'kps-kube-prometheus-stack-operator',
	$namespace: 'monitoring',
	$targetNamespace: '.*', // of all namespaces
	$namespaceOperator: '=~',
};

/** Fetches the module the first time. */
export async function obtainDefaultRules(environment: NodeJS.ProcessEnv = process.env): Promise<RuleGroup[]> {
	const cwd = join(GO_MODULES, 'default-rules');
	const env = { ...(await goEnvironment(environment)), GOFLAGS: '-mod=mod', GOWORK: 'off' };
	await askGo(['mod', 'download', MODULE], env, { cwd });
	const { text } = await askGo(['list', '-m', '-f', '{{.Dir}}', MODULE], env, { cwd });
	if (text.trim() === '') throw new Error(`Go could not fetch ${MODULE}: it has the rules of kube-prometheus-stack`);
	return readRules(join(text.trim(), CHART));
}

function readRules(chart: string): RuleGroup[] {
	const values: unknown = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'));
	const directory = join(chart, RULES);
	return readdirSync(directory)
		.filter((file) => file.endsWith('.yaml'))
		.toSorted()
		.map((file) => readFileSync(join(directory, file), 'utf8'))
		.filter((template) => isOn(template, values))
		.flatMap((template) => (parse(fillIn(template, values)) as RuleObject).spec.groups);
}

/** The condition around the whole file; the versions of Kubernetes in it are met, and no alert is disabled. */
function isOn(template: string, values: unknown): boolean {
	const [condition = ''] = /^\{\{- if and .*$/m.exec(template) ?? [];
	const switches = condition.replaceAll(/\(not \(.*?\)\)/g, '');
	return [...switches.matchAll(/\.Values\.([A-Za-z0-9.]+)/g)].every(([, path = '']) => Boolean(at(path, values)));
}

function at(path: string, values: unknown): unknown {
	return path.split('.').reduce((node, key) => (node as Record<string, unknown> | undefined)?.[key], values);
}

type RuleObject = { readonly spec: { readonly groups: RuleGroup[] } };

/** From `spec` on. With the chart's default values nothing is disabled, and no label or annotation is added. */
export function fillIn(template: string, values: unknown): string {
	const lines: string[] = [];
	/** Of each open block: whether its lines are kept. */
	const open: boolean[] = [];
	for (const line of withoutLists(template.slice(template.indexOf('\nspec:\n'))).split('\n')) {
		const [, word, rest = ''] = /^\s*\{\{-? ?(if|with|end|else|\$)(.*)$/.exec(line) ?? [];
		if (word === 'if' || word === 'with') open.push(holds(rest, values));
		else if (word === 'end') open.pop();
		else if (word === 'else') throw new Error(`this line is not understood: ${line}`);
		else if (word !== '$' && open.every((isKept) => isKept)) lines.push(filled(line, values));
	}
	return lines.join('\n');
}

/** `not` stands before what is disabled or replaced, and nothing is; of other values one that is set is enough. */
function holds(condition: string, values: unknown): boolean {
	if (/^ (?:not|and) /.test(condition)) return true;
	return [...condition.matchAll(/\.Values\.([A-Za-z0-9.]+)/g)].some(([, path = '']) => {
		const value = at(path, values);
		return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
	});
}

/** `additionalAggregationLabels` is empty. */
function withoutLists(text: string): string {
	return text.replaceAll(/\{\{-? ?range [^}]*\}\}[^]*?\{\{-? ?end ?\}\}/g, '');
}

function filled(line: string, values: unknown): string {
	return line
		.replaceAll(/\{\{`([^`]*)`\}\}/g, (_, braces: string) => (braces === '{{' ? '\u0001' : '\u0002'))
		.replaceAll(/\{\{-? ?([^}]*?) ?-?\}\}/g, (_, expression: string) => valueOf(expression, values))
		.replaceAll('\u0001', '{{')
		.replaceAll('\u0002', '}}');
}

function valueOf(expression: string, values: unknown): string {
	const value = VARIABLES[expression] ?? configured(expression, values);
	if (value === undefined) throw new Error(`{{ ${expression} }} is not understood`);
	return value;
}

function configured(expression: string, values: unknown): string | undefined {
	const path = /^\$?\.Values\.([A-Za-z.]+)$/.exec(expression)?.[1];
	if (path !== undefined) return scalar(at(path, values));
	// `dig "Alert" "for" "15m" .Values.customRules`: the default of a value that can be set
	return /^dig (?:"[^"]*" )+?"([^"]*)" \.Values\.customRules$/.exec(expression)?.[1];
}

function scalar(value: unknown): string | undefined {
	return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
