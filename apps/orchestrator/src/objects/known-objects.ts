// Everything that the orchestrator follows, and the view of one target that decisions are made from.
import { ObjectCache } from '../kube/object-cache.ts';
import type { Approval } from './approval.ts';
import type { Execution } from './execution.ts';
import { KnownPause, type PauseChange } from './known-pause.ts';
import { KnownRequests } from './known-requests.ts';
import { KnownWorkflows } from './known-workflows.ts';
import { isActive } from './remediation.ts';
import type { TargetView } from './target-view.ts';

export class KnownObjects {
	readonly requests: KnownRequests;
	readonly executions: ObjectCache<Execution, 'target'>;
	readonly workflows: KnownWorkflows;
	readonly approvals: ObjectCache<Approval, 'request'>;
	/** The one ConfigMap of the pause switch, fed as a cache is. */
	readonly pause: KnownPause;

	/**
	 * `onChanged`: something changed that decisions about this target may depend on. `onWorkflow`: the workflow of this
	 * name changed, its status included.
	 */
	constructor(
		onChanged: (target: string) => void,
		textBudgetBytes?: number,
		onPause: (change: PauseChange) => void = () => {},
		onWorkflow: (name: string) => void = () => {},
	) {
		const allChanged = () => {
			const targets = new Set<string>();
			for (const request of this.requests.all()) if (isActive(request)) targets.add(request.target);
			for (const target of targets) onChanged(target);
		};
		this.requests = new KnownRequests(({ target }) => onChanged(target), textBudgetBytes);
		this.executions = new ObjectCache({ target: ({ target }) => target }, ({ target }) => onChanged(target));
		this.workflows = new KnownWorkflows({ specChanged: allChanged, seen: onWorkflow });
		this.approvals = new ObjectCache({ request: ({ requestUid }) => requestUid }, ({ requestUid }) => {
			for (const { target } of this.requests.by('uid', requestUid)) onChanged(target);
		});
		this.pause = new KnownPause((change) => {
			allChanged();
			onPause(change);
		});
	}

	viewOf(target: string, now: number): TargetView {
		return {
			target,
			requests: this.requests.by('target', target),
			executions: this.executions.by('target', target),
			workflows: this.workflows.list,
			approvalsOf: (requestUid) => this.approvals.by('request', requestUid),
			pausedBecause: this.pause.pausedBecause(target),
			now,
		};
	}
}
