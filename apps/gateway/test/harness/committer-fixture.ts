// An OccurrenceCommitter on a model of the API server whose answers may get lost.

import { type CommitResult, OccurrenceCommitter } from '../../src/ingest/occurrence-commit.ts';
import type { RequestLink } from '../../src/objects/request-link.ts';
import { createRequestStore } from '../../src/objects/request-store.ts';
import { type Fate, ModelKube } from '../simulation/model-kube.ts';
import { linkOf, type Request } from '../simulation/store-model.ts';
import { FINGERPRINT, FIRST } from './sample-signal.ts';

const NOW = new Date('2026-01-01T00:00:00Z');

export class CommitterFixture {
	readonly kube = new ModelKube(FINGERPRINT);
	readonly requests = createRequestStore(this.kube, 'ns');
	readonly seen: RequestLink[] = [];
	readonly committer = this.committerOf('pod-1');

	committerOf(
		pod: string,
		watched: { before?: RequestLink | undefined; after?: RequestLink | undefined } = {},
	): OccurrenceCommitter {
		return new OccurrenceCommitter(pod, {
			store: this.requests,
			known: {
				newerThan: () => watched.before,
				awaitNewer: async () => watched.after,
				changed: (link) => this.seen.push(link),
			},
			now: () => NOW,
			gather: async () => {},
		});
	}

	/** One active request, that no call was recorded for. */
	static async withRequest(): Promise<{ fixture: CommitterFixture; link: RequestLink }> {
		const fixture = new CommitterFixture();
		fixture.kube.serve({ verb: 'create', name: FIRST, chain: 0, token: '1' });
		const link = await fixture.requests.get(FIRST);
		fixture.kube.requests.length = 0;
		if (link === undefined) throw new Error('it was created');
		return { fixture, link };
	}

	/** The fates of the patches, one after the other; then all is well. */
	patchFates(...fates: readonly (Fate | (() => Fate))[]): void {
		const rest = fates.values();
		this.kube.beforeEach = ({ verb }) => {
			const fate = verb === 'patch' ? rest.next().value : undefined;
			return (typeof fate === 'function' ? fate() : fate) ?? 'answered';
		};
	}

	byAnotherPod(status: Extract<Request, { verb: 'patch' }>['status']): void {
		const answer = this.kube.serve({ verb: 'patch', name: FIRST, status });
		if (!('link' in answer)) throw new Error(JSON.stringify(answer));
	}

	get stored() {
		return linkOf(this.kube.store, FIRST);
	}

	patches(): number {
		return this.kube.verbs.filter((verb) => verb === 'patch').length;
	}
}

export function counts(results: readonly CommitResult[]): (number | string)[] {
	return results.map((result) => (result.outcome === 'counted' ? result.occurrenceCount : result.outcome));
}
