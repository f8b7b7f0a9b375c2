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
	REQUEST_INVALID:
		"400. The body is not JSON, or does not match the route's schema. The detail names the field; /docs has the schemas.",
	REQUEST_UNAUTHENTICATED:
		'401. No bearer token, or one that the API server does not know (any more). Alertmanager: set http_config.authorization; it does not retry after 401.',
	REQUEST_FORBIDDEN:
		"403. The token is valid, but its user may not create remediationrequests in the gateway's namespace. Bind the user to a Role that may.",
	REQUEST_NOT_FOUND: '404. Unknown address. /docs lists the addresses.',
	REQUEST_METHOD: '405. The address supports other methods: see the header Allow.',
	REQUEST_TOO_SLOW: '408. Headers and body did not arrive within server.receive_timeout.',
	REQUEST_TOO_LARGE:
		'413. The body is larger than server.max_body_bytes. Alertmanager: use finer groups, or raise the limit; with max_alerts alerts would be lost.',
	REQUEST_MEDIA_TYPE: '415. Send application/json in UTF-8 without a content encoding.',
	REQUEST_HEADERS_TOO_LARGE: '431. The header fields are larger than 16 KiB together.',
	INTERNAL_ERROR: "500. A fault of the gateway. Its log has the error under the answer's requestId.",
	OVERLOADED:
		'503. Too many requests at once, a queue that is too long, or a delayed event loop. Send again after Retry-After; add replicas if it persists.',
	API_UNAVAILABLE: '503. The Kubernetes API is not available, so nothing can be stored. Send again after Retry-After.',
	SIGNALS_DEFERRED:
		'503. At least one valid signal was deferred; the results say which and why. Send the whole request again after Retry-After: signals that were stored are then duplicates.',
	DEADLINE_EXCEEDED:
		'504. server.request_deadline passed before every signal was handled. Send the whole request again.',
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
