// The JSON patch of a status write. It carries no resourceVersion, because gateways count on the same object all the time:
// the API server merges their writes with ours. It tests what the decision was made from instead, and is not applied when
// any of that has changed, or when the request was replaced or is being deleted.
import { DECIDED_FROM, type Remediation } from './remediation.ts';

/** Fields of a status to write; `null` removes one. */
export type StatusPatch = Readonly<Record<string, unknown>>;
export type JsonPatchOperation =
	/** Of an absent field, `null` is the value. */
	| { readonly op: 'test' | 'add'; readonly path: string; readonly value: unknown }
	| { readonly op: 'remove'; readonly path: string };

export const JSON_PATCH = 'application/json-patch+json';

export function requestPatch(
	{ uid, decidedFrom }: Pick<Remediation, 'uid' | 'decidedFrom'>,
	status: StatusPatch,
): JsonPatchOperation[] {
	return [
		{ op: 'test', path: '/metadata/uid', value: uid },
		{ op: 'test', path: '/metadata/deletionTimestamp', value: null },
		...DECIDED_FROM.map(
			(field) => ({ op: 'test', path: `/status/${field}`, value: decidedFrom[field] ?? null }) as const,
		),
		...Object.entries(status).flatMap(([field, value]) => write(`/status/${field}`, value)),
	];
}

/** To remove a field that may be absent is an error, unless it is added first. */
function write(path: string, value: unknown): JsonPatchOperation[] {
	const add = { op: 'add', path, value } as const;
	return value === null ? [add, { op: 'remove', path }] : [add];
}
