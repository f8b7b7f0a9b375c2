// Everything that the orchestrator follows, and the view of one target that decisions are made from.
import type { TargetView } from '../decide/decision.ts';
import type { Workflow } from '../decide/workflow-match.ts';
import type { RemediationApproval } from '../generated/remediation-approval.ts';
import { ObjectCache } from '../kube/object-cache.ts';
import type { Execution } from './execution.ts';
import { NOT_PAUSED, type PauseSwitch } from './pause-switch.ts';
import { isActive, type Remediation } from './remediation.ts';

export type Approval = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly requestUid: string;
	readonly decision: 'Approved' | 'Rejected';
	readonly reason: string;
};

export function toApproval({ metadata, spec }: RemediationApproval): Approval {
	return {
		name: metadata.name ?? '',
		uid: metadata.uid ?? '',
		resourceVersion: metadata.resourceVersion ?? '0',
		requestUid: spec.remediationRequestRef.uid,
		decision: spec.decision,
		reason: spec.reason,
	};
}

export class KnownObjects {
	readonly requests: ObjectCache<Remediation, 'target' | 'uid'>;
	readonly executions: ObjectCache<Execution, 'target'>;
	readonly workflows: ObjectCache<Workflow>;
	readonly approvals: ObjectCache<Approval, 'request'>;
	#pause: PauseSwitch = NOT_PAUSED;
	readonly #onConcern: (target: string) => void;

	/** `onConcern`: something changed that may concern this target. */
	constructor(onConcern: (target: string) => void) {
		this.#onConcern = onConcern;
		this.requests = new ObjectCache({ target: ({ target }) => target, uid: ({ uid }) => uid }, ({ target }) =>
			onConcern(target),
		);
		this.executions = new ObjectCache({ target: ({ target }) => target }, ({ target }) => onConcern(target));
		this.workflows = new ObjectCache({}, () => this.#concernAll());
		this.approvals = new ObjectCache({ request: ({ requestUid }) => requestUid }, ({ requestUid }) => {
			for (const { target } of this.requests.by('uid', requestUid)) onConcern(target);
		});
	}

	set pause(pause: PauseSwitch) {
		this.#pause = pause;
		this.#concernAll();
	}

	viewOf(target: string, now: number): TargetView {
		return {
			target,
			requests: this.requests.by('target', target),
			executions: this.executions.by('target', target),
			workflows: [...this.workflows.all()],
			approvalOf: (requestUid) => this.#approvalOf(requestUid),
			pausedBecause: this.#pause.pausedBecause(target),
			now,
		};
	}

	/** A no weighs more than a yes: the two may come from different people at the same time. */
	#approvalOf(requestUid: string): Approval | undefined {
		const words = this.approvals.by('request', requestUid);
		return words.find(({ decision }) => decision === 'Rejected') ?? words[0];
	}

	#concernAll(): void {
		const targets = new Set<string>();
		for (const request of this.requests.all()) if (isActive(request)) targets.add(request.target);
		for (const target of targets) this.#onConcern(target);
	}
}
