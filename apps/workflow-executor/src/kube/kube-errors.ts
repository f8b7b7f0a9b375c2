// Faults of calls to the API server, classified once, by status and reason.
import { AppError } from '../process/app-error.ts';
import type { KubeCall } from './kube.ts';
import type { RefusedRights } from './refused-rights.ts';

export const KUBE_ERROR_CODES = {
	KUBE_FORBIDDEN:
		"The API server rejected the call (403). If rights are missing, the message names verb, resource, namespace and the missing RBAC rule: add it to the Role. If a quota, an admission policy or a terminating namespace was the reason, the message has the server's words.",
	KUBE_NOT_GRANTED:
		'The API server does not grant the call at the moment (403). It may still be starting, with its RBAC rules not loaded yet: the call is retried. If it lasts for 15 s, KUBE_FORBIDDEN follows.',
	KUBE_UNAUTHORIZED:
		'The API server does not accept our credentials. Check the kubeconfig or the ServiceAccount token.',
	KUBE_NOT_FOUND: 'The object, or the kind, does not exist. For a kind: apply deploy/crds.',
	KUBE_ALREADY_EXISTS: 'An object of that name exists already.',
	KUBE_CONFLICT: 'The object changed since it was read, or a precondition failed.',
	KUBE_GONE: 'The resourceVersion is too old to continue from: list again.',
	KUBE_INVALID: "The API server's validation rejected the object. The message names the field.",
	KUBE_TOO_LARGE:
		'The object is too large for the storage of the API server (413, or "request is too large" of etcd). Nothing was stored, and sending it again cannot help.',
	KUBE_THROTTLED:
		'The API server is throttling us (429), and did so for as long as a call may wait. Work is retried later; the gateway answers 503 with Retry-After. If it persists, give the app a FlowSchema of its own.',
	KUBE_UNAVAILABLE: 'The API server cannot be reached or failed (5xx). The call is retried with backoff.',
	KUBE_TIMEOUT: 'The API server did not answer within kubernetes.request_timeout.',
} as const;

export type KubeErrorCode = keyof typeof KUBE_ERROR_CODES;

type Details = { status?: number; reason?: string; retryAfterMs?: number; cause?: unknown };

export class KubeError extends AppError<KubeErrorCode> {
	readonly status: number | undefined;
	readonly reason: string | undefined;
	readonly retryAfterMs: number | undefined;
	constructor(code: KubeErrorCode, message: string, details: Details = {}) {
		super(code, message, details.cause === undefined ? undefined : { cause: details.cause });
		this.status = details.status;
		this.reason = details.reason;
		this.retryAfterMs = details.retryAfterMs;
	}
}

/** etcd's refusal of an object, and that of the API server's own client to send it there: both come as a 500. */
const TOO_LARGE = /request is too large|trying to send message larger than max/;

/** The API server answered with 400 or above. 409 is two things: only the reason tells them apart. */
export function rejected(
	call: KubeCall,
	status: number,
	text: string,
	retryAfter: string | string[] | undefined,
	rights: Pick<RefusedRights, 'refused'>,
): KubeError {
	const { reason, message } = parseStatus(text);
	const seconds = Number(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter);
	const details = {
		status,
		...(reason === undefined ? {} : { reason }),
		...(Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {}),
	};
	const because = (code: KubeErrorCode) =>
		new KubeError(code, `${describeCall(call)}: ${status} ${message ?? reason ?? ''}`.trim(), details);
	switch (status) {
		case 401:
			return because('KUBE_UNAUTHORIZED');
		case 403:
			// A quota, an admission policy and a terminating namespace answer 403 too, and no Role would change that.
			if (!/ cannot \w+ (?:resource|path) /.test(message ?? '')) return because('KUBE_FORBIDDEN');
			return rights.refused(call)
				? new KubeError('KUBE_FORBIDDEN', `${describeCall(call)}: forbidden; the Role lacks ${ruleFor(call)}`, details)
				: new KubeError(
						'KUBE_NOT_GRANTED',
						`${describeCall(call)}: forbidden at the moment; the API server may still be starting. It needs ${ruleFor(call)}`,
						details,
					);
		case 404:
			return because('KUBE_NOT_FOUND');
		case 409:
			return because(reason === 'AlreadyExists' ? 'KUBE_ALREADY_EXISTS' : 'KUBE_CONFLICT');
		case 410:
			return because('KUBE_GONE');
		case 413:
			return because('KUBE_TOO_LARGE');
		case 429:
			return because('KUBE_THROTTLED');
		default:
			if (status < 500) return because('KUBE_INVALID');
			return because(TOO_LARGE.test(message ?? '') ? 'KUBE_TOO_LARGE' : 'KUBE_UNAVAILABLE');
	}
}

/** No answer, or none in time. `timeoutMs`: our own time limit ended the call. */
export function unanswered(call: KubeCall, cause: unknown, timeoutMs?: number): KubeError {
	return timeoutMs === undefined
		? new KubeError('KUBE_UNAVAILABLE', `${describeCall(call)}: ${reasonOf(cause)}`, { cause })
		: new KubeError('KUBE_TIMEOUT', `${describeCall(call)}: no answer within ${timeoutMs} ms`, { cause });
}

export function unreadable(call: KubeCall, status: number, text: string, cause: unknown): KubeError {
	const start = JSON.stringify(text.slice(0, 80));
	const message = `${describeCall(call)}: ${status} with a body that is not JSON: ${start}`;
	return new KubeError('KUBE_UNAVAILABLE', message, { status, cause });
}

export function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

function ruleFor(call: KubeCall): string {
	const group = /^\/apis\/([^/]+)\//.exec(call.path)?.[1] ?? '';
	return JSON.stringify({ apiGroups: [group], resources: [call.resource], verbs: [call.verb] });
}

function describeCall(call: KubeCall): string {
	return `${call.verb} ${call.resource}${call.namespace === undefined ? '' : ` in ${call.namespace}`}`;
}

function parseStatus(text: string): { reason?: string; message?: string } {
	try {
		return JSON.parse(text) as { reason?: string; message?: string };
	} catch {
		return { message: text.slice(0, 200) }; // the page of a proxy, not a Status of the API server
	}
}
