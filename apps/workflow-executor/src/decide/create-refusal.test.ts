import { describe, expect, it } from 'vitest';
import { rejected, unanswered } from '../kube/kube-errors.ts';
import { refusalOf } from './create-refusal.ts';

const CREATE = {
	verb: 'create',
	path: '/apis/tekton.dev/v1/namespaces/kubernaut-workflows/pipelineruns',
	resource: 'pipelineruns',
	namespace: 'kubernaut-workflows',
} as const;
/** As the API server words it. */
function answer(status: number, reason: string, message: string, lasts = true) {
	return rejected(CREATE, status, JSON.stringify({ reason, message }), undefined, { refused: () => lasts });
}
const NO_RIGHT =
	'pipelineruns.tekton.dev is forbidden: User "x" cannot create resource "pipelineruns" in API group "tekton.dev"';

describe('a run that could not be created', () => {
	it.each([
		{
			because: "Tekton's webhook rejects it",
			it: answer(
				400,
				'BadRequest',
				'admission webhook "validation.webhook.pipeline.tekton.dev" denied the request: validation failed: invalid value: exceeded',
			),
			want: { do: 'fail', reason: 'ConfigurationError' },
		},
		{
			because: 'the schema rejects it',
			it: answer(422, 'Invalid', 'spec.params: Invalid value'),
			want: { do: 'fail', reason: 'ConfigurationError' },
		},
		{
			because: 'a policy forbids it',
			it: answer(
				403,
				'Forbidden',
				'pipelineruns.tekton.dev "wfe-1" is forbidden: ValidatingAdmissionPolicy \'p\' denied request: no',
			),
			want: { do: 'fail', reason: 'Forbidden' },
		},
		{
			because: 'it is too large',
			it: answer(413, 'RequestEntityTooLarge', 'limit is 3145728'),
			want: { do: 'fail', reason: 'ConfigurationError' },
		},
		{
			because: 'a quota is used up',
			it: answer(
				403,
				'Forbidden',
				'pipelineruns.tekton.dev "wfe-1" is forbidden: exceeded quota: runs, requested: count/pipelineruns.tekton.dev=1, used: 1, limited: 1',
			),
			want: { do: 'wait', reason: 'QuotaExceeded' },
		},
		{
			because: 'a right is missing',
			it: answer(403, 'Forbidden', NO_RIGHT),
			want: { do: 'wait', reason: 'MissingRight' },
		},
		{
			because: 'the API server has not loaded its rules',
			it: answer(403, 'Forbidden', NO_RIGHT, false),
			want: { do: 'wait', reason: 'MissingRight' },
		},
		{
			because: 'the namespace is missing',
			it: answer(404, 'NotFound', 'namespaces "kubernaut-workflows" not found'),
			want: { do: 'wait', reason: 'MissingNamespace' },
		},
		{
			because: 'the namespace is being deleted',
			it: answer(
				403,
				'Forbidden',
				'pipelineruns.tekton.dev "wfe-1" is forbidden: unable to create new content in namespace x because it is being terminated',
			),
			want: { do: 'wait', reason: 'NamespaceTerminating' },
		},
		{
			because: 'Tekton is not installed',
			it: answer(404, 'NotFound', 'the server could not find the requested resource'),
			want: { do: 'wait', reason: 'EngineNotInstalled' },
		},
		{
			because: 'Tekton is being removed, which waits for runs of ours',
			it: answer(405, 'MethodNotAllowed', 'create not allowed while custom resource definition is terminating'),
			want: { do: 'wait', reason: 'EngineNotInstalled' },
		},
		{
			because: "Tekton's webhook is away",
			it: answer(
				500,
				'InternalError',
				'Internal error occurred: failed calling webhook "webhook.pipeline.tekton.dev": connection refused',
			),
			want: { do: 'wait', reason: 'EngineUnavailable' },
		},
		{
			because: 'the API server throttles',
			it: answer(429, 'TooManyRequests', 'later'),
			want: { do: 'wait', reason: 'EngineUnavailable' },
		},
		{
			because: 'there is no answer',
			it: unanswered(CREATE, new Error('reset')),
			want: { do: 'wait', reason: 'EngineUnavailable' },
		},
	])('because $because', ({ it: error, want }) => {
		expect(refusalOf(error)).toEqual(want);
	});
});
