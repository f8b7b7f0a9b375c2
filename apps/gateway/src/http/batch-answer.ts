// From the results of the signals to the answer. The code decides what Alertmanager does next: it sends a batch again
// after 5xx, and gives it up for good after anything else. So one deferred signal makes the whole answer a 503 (504 when
// all were deferred by the deadline); those that were stored are duplicates when the batch comes again.
import * as Type from 'typebox';
import { type ProblemCode, ProblemSchema } from './problem.ts';
import { type HandledSignal, type SignalResult, SignalResultSchema } from './signal-result.ts';

export const BatchAnswerSchema = Type.Object(
	{
		status: Type.String({ description: 'The status of the batch: partial when some signals were rejected.' }),
		message: Type.String(),
		results: Type.Array(SignalResultSchema, { description: 'One for each alert, in their order.' }),
		...Type.Partial(Type.Omit(SignalResultSchema, ['status', 'message'])).properties,
	},
	{
		title: 'BatchAnswer',
		description: 'An answer about one alert also has the fields of its result at the top level.',
	},
);
type BatchAnswerBody = Type.Static<typeof BatchAnswerSchema>;

export const ProblemWithResultsSchema = Type.Object(
	{ ...ProblemSchema.properties, results: Type.Optional(Type.Array(SignalResultSchema)) },
	{ title: 'ProblemWithResults' },
);

export type SignalAnswer =
	| { readonly code: 200 | 201 | 202 | 207; readonly body: BatchAnswerBody | SignalResult }
	| {
			readonly problem: ProblemCode;
			readonly detail: string;
			readonly retryAfterMs?: number;
			readonly results?: readonly SignalResult[];
	  };

/** For a body that holds several signals, even when it happens to hold one. */
export function answerBatch(handled: readonly HandledSignal[]): SignalAnswer {
	const results = handled.map(({ result }) => result);
	const deferred = answerDeferred(handled);
	if (deferred !== undefined) return { ...deferred, results };
	// Not one alert could be parsed: the mistake of a person who sends by hand should not look like a success.
	if (results.every(({ status, fingerprint }) => status === 'rejected' && fingerprint === undefined))
		return { problem: 'REQUEST_INVALID', detail: results[0]?.message ?? '', results };
	const code = results.some(({ status }) => status === 'rejected') ? 207 : codeOfSuccess(results);
	const [only] = results;
	return {
		code,
		body: {
			...(results.length === 1 ? only : {}),
			status: code === 207 && results.length > 1 ? 'partial' : statusOf(results),
			message: results.length === 1 && only !== undefined ? only.message : describeResults(results),
			results,
		},
	};
}

/** For a body that is one signal. */
export function answerOne(handled: HandledSignal): SignalAnswer {
	const { result } = handled;
	if (result.status === 'rejected') return { problem: 'REQUEST_INVALID', detail: result.message };
	return answerDeferred([handled]) ?? { code: codeOfSuccess([result]), body: result };
}

function answerDeferred(handled: readonly HandledSignal[]) {
	const deferrals = handled.flatMap(({ deferral }) => (deferral === undefined ? [] : [deferral]));
	if (deferrals.length === 0) return undefined;
	const outOfTime = deferrals.every(({ because }) => because === 'deadline');
	const first = handled.find(({ deferral }) => deferral !== undefined)?.result.message ?? '';
	return {
		problem: outOfTime ? ('DEADLINE_EXCEEDED' as const) : ('SIGNALS_DEFERRED' as const),
		detail: `${deferrals.length} of ${handled.length} deferred, send again; the first: ${first}`,
		retryAfterMs: Math.max(...deferrals.map(({ retryAfterMs }) => retryAfterMs)),
	};
}

function codeOfSuccess(results: readonly SignalResult[]): 200 | 201 | 202 {
	const has = (wanted: SignalResult['status']) => results.some(({ status }) => status === wanted);
	return has('created') ? 201 : has('duplicate') ? 202 : 200;
}

function statusOf(results: readonly SignalResult[]): SignalResult['status'] {
	const order = ['created', 'duplicate', 'resolved', 'rejected', 'ignored'] as const;
	return order.find((wanted) => results.some(({ status }) => status === wanted)) ?? 'ignored';
}

function describeResults(results: readonly SignalResult[]): string {
	const counts = new Map<string, number>();
	for (const { status } of results) counts.set(status, (counts.get(status) ?? 0) + 1);
	return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}
