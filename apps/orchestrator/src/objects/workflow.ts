// A RemediationWorkflow as the orchestrator sees it, with its expressions compiled.
import { RE2JS } from 're2js';
import type { RemediationWorkflow, RemediationWorkflowSpec } from '../generated/remediation-workflow.ts';

export type Workflow = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly generation: number;
	readonly spec: RemediationWorkflowSpec;
	/** One of `match.signalNames`; always true when there are none. */
	readonly namesSignal: (signalName: string) => boolean;
	/** Expressions that the API server accepted and that this app cannot compile. */
	readonly unreadable: readonly string[];
};

export function toWorkflow({ metadata, spec }: RemediationWorkflow): Workflow {
	return {
		name: metadata.name,
		uid: metadata.uid,
		resourceVersion: metadata.resourceVersion,
		generation: metadata.generation,
		spec,
		...nameMatcher(spec.match.signalNames),
	};
}

/**
 * The CRD takes RE2 expressions; the same engine here means the same meaning, and no expression that never ends. The
 * API server's release of it may still know more than ours: one such expression must not stop all other workflows.
 */
function nameMatcher(signalNames: readonly string[] | undefined): Pick<Workflow, 'namesSignal' | 'unreadable'> {
	if (signalNames === undefined) return { namesSignal: () => true, unreadable: [] };
	const exact = new Set(signalNames.filter((name) => !name.startsWith('^')));
	const expressions: RE2JS[] = [];
	const unreadable: string[] = [];
	for (const source of signalNames.filter((name) => name.startsWith('^'))) {
		try {
			expressions.push(RE2JS.compile(source));
		} catch {
			unreadable.push(source); // reported where it is missed: in the block of a request that no workflow matches
		}
	}
	return {
		namesSignal: (signalName) =>
			exact.has(signalName) || expressions.some((expression) => expression.matches(signalName)),
		unreadable,
	};
}
