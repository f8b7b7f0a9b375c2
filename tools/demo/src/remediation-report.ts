// Who had which target, who was blocked by whom, how each request ended, and what it cost: the table, and whether it
// tells of a broken promise. Everything follows from what was seen.
import { columns } from './columns.ts';
import { type History, hasEnded, presentState, type RequestState, type SeenRequest } from './history.ts';
import type { TargetCalls } from './target-calls.ts';

export type Seen = Pick<History, 'requests' | 'executions' | 'overlaps' | 'mostAtOnce' | 'holders'>;

const HEAD = ['REQUEST', 'SIGNAL', 'EXECUTION', 'BLOCKED', 'END'];
const SHORT = 6;
const MAX_SIGNAL_LENGTH = 20;

/** `calls`: undefined where there is no audit log to count them. */
export function reportOf(seen: Seen, calls: TargetCalls | undefined): string[] {
	const byTarget = Map.groupBy(seen.requests, ({ target }) => target);
	const blocks = [...byTarget].map(([target, requests]) => ({
		title: titleOf(target, seen, calls),
		rows: requests.toSorted(executedFirst(seen)).flatMap((request) => rowsOf(request, seen)),
	}));
	const [head = '', ...lines] = columns([HEAD, ...blocks.flatMap(({ rows }) => rows)], '  ');
	return [head, ...blocks.flatMap(({ title, rows }) => [title, ...lines.splice(0, rows.length)])];
}

function titleOf(target: string, seen: Seen, calls: TargetCalls | undefined): string {
	const holders = seen.holders(target).map(([pod, times]) => `${pod} × ${times}`);
	const executions = seen.executions.filter((execution) => execution.target === target).length;
	const spent = calls?.byTarget.get(target);
	return [
		target,
		`locked by ${holders.length === 0 ? 'no pod' : holders.join(', ')}`,
		`${counted(executions, 'execution')}${executions > 1 ? `, at most ${seen.mostAtOnce(target)} at once` : ''}`,
		...(spent === undefined ? [] : [`${spent} API calls`]),
	].join('; ');
}

/** One line for each reason why it had to wait. */
function rowsOf(request: SeenRequest, seen: Seen): string[][] {
	const executions = seen.executions.filter(({ requestUid }) => requestUid === request.uid);
	const ran = executions.map(({ name, workflow }) => `${short(name)} ${workflow}`);
	const waits = request.states.filter(({ phase }) => phase === 'Blocked').map(blockInWords);
	const lines = Math.max(1, ran.length, waits.length);
	return Array.from({ length: lines }, (_, line) => [
		line === 0 ? `  ${short(request.name)}` : '',
		line === 0 ? cut(request.signal) : '',
		ran[line] ?? (line === 0 ? 'none' : ''),
		waits[line] ?? '',
		line === 0 ? endInWords(request) : '',
	]);
}

function blockInWords({ reason = 'Blocked', blockedBy, until }: RequestState): string {
	if (until !== undefined) return `${reason} until ${until.slice(11, 19)}`;
	return `${reason}${blockedBy === undefined ? '' : ` by ${short(blockedBy)}`}`;
}

function endInWords(request: SeenRequest): string {
	const { phase = 'Pending', outcome, blockedBy, notifications = 0 } = presentState(request) ?? {};
	if (!hasEnded(request)) return `${phase}, ${notifications === 0 ? 'no notification' : 'a person is notified'}`;
	if (phase === 'Skipped' && outcome === 'RemediatedByAnother' && blockedBy !== undefined)
		return `${phase}: remediated by ${short(blockedBy)}`;
	return outcome === undefined ? phase : `${phase}: ${outcome}`;
}

/** Two executions of one target at once, or two of one request, or an end that says nothing; `isOver`: all had to end. */
export function brokenExecutionPromises({ requests, executions, overlaps }: Seen, isOver = true): string[] {
	const twice = requests
		.map(({ name, uid }) => ({ name, times: executions.filter(({ requestUid }) => requestUid === uid).length }))
		.filter(({ times }) => times > 1)
		.map(({ name, times }) => `${name} was executed ${times} times.`);
	const left = (isOver ? requests : [])
		.filter((request) => !hasEnded(request) && presentState(request)?.reason !== 'NoWorkflow')
		.map((request) => `${request.name} did not end: ${endInWords(request)}.`);
	return [...overlaps.map((overlap) => `${overlap}.`), ...twice, ...left];
}

/** What a cooldown did: a line for each request that waited for its end and was executed then. */
export function cooldownInWords({ requests, executions }: Seen): string[] {
	return requests.flatMap((request) => {
		const waited = request.states.find(({ reason, until }) => reason === 'RecentlyRemediated' && until !== undefined);
		const first = executions.find(({ name }) => name === waited?.blockedBy);
		const second = executions.find(({ requestUid }) => requestUid === request.uid);
		if (waited === undefined || first?.endedAt === undefined || second === undefined) return [];
		const [ended, until] = [first.endedAt, waited.until ?? ''].map((time) => time.slice(11, 19));
		return [
			`${request.target}: ${first.workflow} ended at ${ended}, so ${second.workflow} was held back until ${until}; then it ran.`,
		];
	});
}

/** "62 API calls for 8 requests, 7.8 each: 14 create leases, ...". */
export function costInWords({ requests }: Seen, calls: TargetCalls | undefined): string {
	if (calls === undefined)
		return 'API calls are counted from the audit log, which this API server does not keep for us.';
	const all = [...calls.byTarget.values()].reduce((sum, times) => sum + times, 0);
	const kinds = calls.byKind.map(([what, times]) => `${times} ${what}`).join(', ');
	return `${all} API calls for ${counted(requests.length, 'request')}, ${(all / requests.length).toFixed(1)} each from first look to end: ${kinds}.`;
}

function executedFirst({ executions }: Seen): (a: SeenRequest, b: SeenRequest) => number {
	const place = ({ uid }: SeenRequest) => {
		const index = executions.findIndex(({ requestUid }) => requestUid === uid);
		return index === -1 ? executions.length : index;
	};
	return (a, b) => place(a) - place(b);
}

/** Names differ at their end; their beginning is the same for a whole target. */
export function short(name: string): string {
	return `${name.slice(0, 3)}…${name.slice(-SHORT)}`;
}

function cut(signal: string): string {
	return signal.length > MAX_SIGNAL_LENGTH ? `${signal.slice(0, MAX_SIGNAL_LENGTH - 1)}…` : signal;
}

export function counted(number: number, noun: string): string {
	return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
