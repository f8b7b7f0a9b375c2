import type { TargetResource } from '../../src/signal/signal.ts';

/** A target in one line, so that tables of tests stay readable. */
export function describeTarget({ namespace, kind, name }: TargetResource): string {
	return namespace === undefined ? `${kind}/${name}` : `${namespace}/${kind}/${name}`;
}
