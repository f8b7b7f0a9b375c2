// The RemediationWorkflows that the watch has reported. A write of a status, ours or another's, changes nothing that
// decisions depend on: what was compiled and remembered of a workflow stays until its spec changes.
import { ObjectCache } from '../kube/object-cache.ts';
import { isSameSpec, type Workflow } from './workflow.ts';

export type WorkflowListener = {
	/** Decisions may depend on it. */
	specChanged(): void;
	/** Also when only its status changed, and when it is removed. */
	seen(name: string): void;
};

export class KnownWorkflows extends ObjectCache<Workflow> {
	#list: readonly Workflow[] | undefined;

	constructor(listener: WorkflowListener) {
		super({}, (workflow, before) => {
			const isUnchanged = before !== undefined && isSameSpec(before, workflow);
			if (!isUnchanged) this.#list = undefined;
			if (!isUnchanged) listener.specChanged();
			listener.seen(workflow.name);
		});
	}

	/** The very same array as long as no spec changes: choices are remembered by it. */
	get list(): readonly Workflow[] {
		this.#list ??= [...this.all()];
		return this.#list;
	}

	override changed(workflow: Workflow): void {
		const known = this.get(workflow.name);
		const isKnown = known !== undefined && isSameSpec(known, workflow);
		super.changed(isKnown ? { ...workflow, expressions: known.expressions } : workflow);
	}
}
