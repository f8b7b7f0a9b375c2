// The labels of a WorkflowExecution, so that people can select by them: those that the gateway gives to requests, and the
// workflow. Nothing is decided by them.
import { createHash } from 'node:crypto';
import type { Remediation } from './remediation.ts';

export function executionLabels(
	{ signal, targetResource }: Pick<Remediation, 'signal' | 'targetResource'>,
	workflowName: string,
): Record<string, string> {
	const { kind, namespace } = targetResource;
	return {
		'kubernaut.ai/target-kind': labelValue(kind),
		...(namespace === undefined ? {} : { 'kubernaut.ai/target-namespace': labelValue(namespace) }),
		'kubernaut.ai/signal': labelValue(signal.name),
		'kubernaut.ai/workflow': labelValue(workflowName),
	};
}

const FITS = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Of a value that is no label value, the first 32 digits of its SHA-256: `printf %s 'Disk full' | sha256sum`. */
function labelValue(text: string): string {
	return FITS.test(text) ? text : `sha256-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}
