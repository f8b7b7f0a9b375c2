// A signal that names no object is its own target.
import { isNamespaceName } from './canonical-target.ts';
import type { TargetResource } from './signal.ts';

/** The readable part may be altered; the hash keeps it unique. */
export function signalItself(name: string, fingerprint: string, namespace: string | undefined): TargetResource {
	// No leading hyphen: a command would take the name for one of its options.
	const readable = name
		.replace(/[^A-Za-z0-9._-]+/g, '-')
		.replace(/^[^A-Za-z0-9]+/, '')
		.slice(0, 200);
	return {
		kind: 'Alert',
		name: `${readable || 'alert'}-${fingerprint.slice(0, 16)}`,
		...(namespace !== undefined && isNamespaceName(namespace) ? { namespace } : {}),
	};
}
