// The labels of a RemediationRequest, from its create on, so that people can select by them: `kubectl get rr -l
// kubernaut.ai/target-kind=Deployment`. The orchestrator gives the same ones to executions; nothing is decided by them.
import { createHash } from 'node:crypto';
import type { Signal } from '../signal/signal.ts';

export function requestLabels({ name, target }: Pick<Signal, 'name' | 'target'>): Record<string, string> {
	return {
		'kubernaut.ai/target-kind': labelValue(target.kind),
		...(target.namespace === undefined ? {} : { 'kubernaut.ai/target-namespace': labelValue(target.namespace) }),
		'kubernaut.ai/signal': labelValue(name),
	};
}

const FITS = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Of a value that is no label value, the first 32 digits of its SHA-256: `printf %s 'Disk full' | sha256sum`. */
function labelValue(text: string): string {
	return FITS.test(text) ? text : `sha256-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}
