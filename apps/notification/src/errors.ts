// Every fault that this app names, with a stable code. Expected outcomes are values, not errors.

export const ERROR_CODES = {
	KUBE_FORBIDDEN:
		'The API server refused. For lack of rights: the message names verb, resource, namespace and the RBAC rule that is missing, add it to the Role. By a quota, a policy or a namespace that is going: the message has its words.',
	KUBE_UNAUTHORIZED: 'The API server does not know who we are. Check the kubeconfig or the ServiceAccount token.',
	KUBE_NOT_FOUND: 'The object, or the kind, is not there. For a kind: apply deploy/crds.',
	KUBE_ALREADY_EXISTS: 'An object of that name is there already.',
	KUBE_CONFLICT: 'The object changed since it was read, or a precondition did not hold.',
	KUBE_GONE: 'The resourceVersion is too old to go on from: list again.',
	KUBE_INVALID: "The API server's validation refused the object. The message names the field.",
	KUBE_THROTTLED:
		'The API server asks for patience (429). Work that was under way is tried again later; senders of signals are told when (503 with Retry-After).',
	KUBE_UNAVAILABLE: 'The API server cannot be reached or failed (5xx). It is tried again with backoff.',
	KUBE_TIMEOUT: 'The API server did not answer in time (kubernetes.request_timeout).',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export class AppError extends Error {
	readonly code: ErrorCode;
	constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = new.target.name;
		this.code = code;
	}
}
