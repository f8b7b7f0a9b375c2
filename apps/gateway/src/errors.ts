// Every fault that this app names, with a stable code.
import { KUBE_ERROR_CODES } from './kube/kube-errors.ts';

export const ERROR_CODES = {
	...KUBE_ERROR_CODES,
	REQUEST_INVALID:
		"400. The body does not fit the route's schema, or is not JSON. The detail names the place; /docs has the schemas.",
	REQUEST_UNAUTHENTICATED:
		'401. No bearer token, or one that the API server does not accept (any more). Alertmanager: set http_config.authorization; it does not retry this.',
	REQUEST_FORBIDDEN:
		'403. The token is valid, but its user may not create remediationrequests in our namespace. Bind the user to a Role that may.',
	REQUEST_NOT_FOUND: '404. The address does not exist. /docs lists all addresses.',
	REQUEST_METHOD: '405. The address does not accept this method: see the header Allow.',
	REQUEST_TOO_SLOW: '408. Headers and body did not arrive within server.receive_timeout.',
	REQUEST_TOO_LARGE:
		'413. The body is larger than server.max_body_bytes. Alertmanager: group finer, or allow more; max_alerts would leave alerts out.',
	REQUEST_MEDIA_TYPE: '415. Only application/json in UTF-8 without a content encoding is accepted.',
	REQUEST_HEADERS_TOO_LARGE: '431. The header fields are larger than 16 KiB together.',
	INTERNAL_ERROR: '500. A fault of the gateway. The log has more under the requestId of the answer.',
	OVERLOADED:
		'503. Too many requests at once, a queue that is too long, or an event loop that is late. Send again after Retry-After; add replicas when it lasts.',
	API_UNAVAILABLE: '503. The Kubernetes API does not answer, so nothing can be stored. Send again after Retry-After.',
	SIGNALS_DEFERRED:
		'503. At least one valid signal was deferred; the results say which and why. Send the whole request again: signals that were stored are then duplicates.',
	DEADLINE_EXCEEDED: '504. Not everything was done within server.request_deadline. Send the whole request again.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
