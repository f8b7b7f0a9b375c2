// Every fault that this app names, with a stable code.
import { KUBE_ERROR_CODES } from './kube/kube-errors.ts';

export const ERROR_CODES = {
	...KUBE_ERROR_CODES,
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
		'413. The body is larger than server.max_body_bytes, or has more than 50,000 alerts. Alertmanager: use finer groups, or raise the limit; with max_alerts alerts would be lost.',
	REQUEST_MEDIA_TYPE: '415. Send application/json in UTF-8 without a content encoding.',
	REQUEST_HEADERS_TOO_LARGE: '431. The header fields are larger than 16 KiB together.',
	INTERNAL_ERROR: "500. A fault of the gateway. Its log has the error under the answer's requestId.",
	OVERLOADED:
		'503. This replica cannot do more in time: the detail says whether bytes of bodies, the backlog of work, a delayed event loop or the number of requests. Send again after Retry-After; add replicas if it persists.',
	API_UNAVAILABLE: '503. The Kubernetes API is not available, so nothing can be stored. Send again after Retry-After.',
	SIGNALS_DEFERRED:
		'503. At least one valid signal was deferred; the results say which and why. Send the whole request again after Retry-After: the same replica does not count again what it has stored of it, another one counts it as duplicates.',
	DEADLINE_EXCEEDED:
		'504. server.request_deadline passed before every signal was handled. Send the whole request again after Retry-After: the same replica goes on where it was.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
