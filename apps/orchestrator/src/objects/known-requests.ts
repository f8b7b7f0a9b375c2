// The RemediationRequests that the watch has reported. Their texts are kept within a budget, which an active request gives
// back when it ends, is removed or is replaced.
import type { RemediationRequest } from '../generated/remediation-request.ts';
import { ObjectCache } from '../kube/object-cache.ts';
import { isActive, isSameToDecisions, type Remediation, toRemediation } from './remediation.ts';
import { SignalTexts } from './signal-texts.ts';

export const TEXT_BUDGET_BYTES = 32 * 1024 * 1024;

export class KnownRequests extends ObjectCache<Remediation, 'target' | 'uid'> {
	readonly #texts: SignalTexts;

	/** `onChanged`: something that decisions depend on. Gateways count on a request hundreds of times a second. */
	constructor(onChanged: (request: Remediation) => void, textBudgetBytes = TEXT_BUDGET_BYTES) {
		super({ target: ({ target }) => target, uid: ({ uid }) => uid }, (request, before) => {
			if (before === undefined || !isSameToDecisions(before, request)) onChanged(request);
		});
		this.#texts = new SignalTexts(textBudgetBytes);
	}

	/** Within the budget from the first moment on: a list holds all its objects before it is complete. */
	project(object: RemediationRequest): Remediation {
		return this.#texts.keep(toRemediation(object));
	}

	override changed(request: Remediation): void {
		const before = this.get(request.name);
		super.changed(this.#texts.keep(request));
		this.#dropUnlessActive(request);
		if (before !== undefined) this.#dropUnlessActive(before);
	}

	override removed(request: Remediation): void {
		super.removed(request);
		this.#dropUnlessActive(request);
	}

	override replaceAll(requests: readonly Remediation[], resourceVersion: string, isRestored = false): void {
		super.replaceAll(requests, resourceVersion, isRestored);
		// Of a list that broke off before its end.
		this.#texts.dropUnless((uid) => this.by('uid', uid).some(isActive));
	}

	get textBytes(): number {
		return this.#texts.bytes;
	}

	#dropUnlessActive({ name, uid }: Remediation): void {
		const known = this.get(name);
		if (known?.uid !== uid || !isActive(known)) this.#texts.drop(uid);
	}
}
