// Two storms side by side, and what they say: the table is measured, the sentences follow from it, whatever it says.
import type { StormFigures } from './figures.ts';

type Column = { readonly title: string; readonly figures: StormFigures };

const ROWS: readonly { readonly label: string; readonly value: (figures: StormFigures) => string }[] = [
	{ label: 'answered 201 (created)', value: ({ created }) => number(created) },
	{ label: 'answered 202 (counted)', value: ({ counted }) => number(counted) },
	{ label: 'failed', value: ({ failed }) => number(failed) },
	{ label: 'RemediationRequests made', value: ({ requests }) => number(requests) },
	{ label: 'occurrences they count', value: ({ occurrences, signals }) => `${number(occurrences)} of ${signals}` },
	{ label: 'API calls', value: ({ calls }) => (calls === undefined ? 'not counted' : number(calls)) },
	{
		label: 'API calls per signal',
		value: ({ calls, signals }) => (calls === undefined ? 'not counted' : (calls / signals).toFixed(2)),
	},
	{ label: 'last answer after', value: ({ lastAnswerMs }) => duration(lastAnswerMs) },
];

export function tableOf(columns: readonly Column[]): string[] {
	const lines = [
		['', ...columns.map(({ title }) => title)],
		...ROWS.map(({ label, value }) => [label, ...columns.map(({ figures }) => value(figures))]),
	];
	const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
	return lines.map(([label = '', ...cells]) =>
		[label.padEnd(widths[0] ?? 0), ...cells.map((cell, index) => cell.padStart(widths[index + 1] ?? 0))]
			.join('    ')
			.trimEnd(),
	);
}

/** "3 create leases, 1 create remediationrequests". */
export function callsInWords({ calls, callsBy }: StormFigures): string {
	if (calls === undefined)
		return 'API calls are counted from the audit log, which this API server does not keep for us.';
	return `The calls: ${callsBy.map(({ what, times }) => `${number(times)} ${what}`).join(', ')}.`;
}

/** Empty when the gateway kept what it promises. */
export function brokenPromises({ signals, failed, requests, occurrences }: StormFigures): string[] {
	return [
		...(requests === 1 ? [] : [`${requests} RemediationRequests were made of one incident, not 1.`]),
		...(occurrences === signals ? [] : [`${occurrences} occurrences are counted, not ${signals}.`]),
		...(failed === 0 ? [] : [`${failed} of ${signals} senders were not answered with 201 or 202.`]),
	];
}

/** What the other pattern did in this very run. */
export function patternInWords(ours: StormFigures, theirs: StormFigures): string[] {
	const { signals, requests, occurrences, failed, failures } = theirs;
	const says: string[] = [];
	if (requests > 1)
		says.push(
			`It made ${requests} requests of one incident. Its lock names the pod as holder, so what runs inside one pod`,
			'is not kept apart: several look, find nothing, and create.',
		);
	else
		says.push(
			`This time it made ${requests === 1 ? 'one request' : 'no request at all'}. That is a matter of timing: its lock names the pod as holder, so what runs`,
			'inside one pod is not kept apart. Run the demo again and it may be several.',
		);
	if (failed > 0) {
		says.push(`${failed} of ${signals} senders got an error${failures.length > 1 ? ', most often' : ''}:`);
		says.push(`  ${failures[0]?.words ?? ''}`);
	}
	if (occurrences !== signals) {
		const off = Math.abs(signals - occurrences);
		says.push(`${off} ${occurrences < signals ? 'alerts are counted nowhere' : 'more are counted than were sent'}.`);
	}
	return [...says, ...ratios(ours, theirs)];
}

function ratios(ours: StormFigures, theirs: StormFigures): string[] {
	const time = `its last answer ${slowerOrFaster(theirs.lastAnswerMs, ours.lastAnswerMs)}`;
	const sentence =
		ours.calls === undefined || theirs.calls === undefined || ours.calls === 0
			? time
			: `It asked the API server ${number(Math.round(theirs.calls / ours.calls))} times as often, and ${time}`;
	return [`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`];
}

function slowerOrFaster(theirs: number, ours: number): string {
	return theirs >= ours
		? `took ${(theirs / ours).toFixed(theirs / ours < 10 ? 1 : 0)} times as long`
		: `was ${(ours / theirs).toFixed(1)} times faster`;
}

function number(value: number): string {
	return value.toLocaleString('en');
}

function duration(ms: number): string {
	return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
