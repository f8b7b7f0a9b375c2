// Every version of the RemediationRequests of a namespace, as a watch delivers them: a state that a request was in only
// for a moment is seen here, however rarely a busy machine lets a test read.
import type { RemediationRequest } from '../../src/generated/remediation-request.ts';
import { RecordedWatch } from './recorded-watch.ts';

export type RequestHistory = {
	/** Oldest first, from this version on. */
	since(name: string, resourceVersion: bigint): RemediationRequest[];
	caughtUp(): Promise<void>;
	stop(): Promise<void>;
};

export async function recordRequests(namespace: string, kubeconfigPath: string): Promise<RequestHistory> {
	const versions = new Map<string, RemediationRequest[]>();
	const watch = await RecordedWatch.start<RemediationRequest>(
		namespace,
		'remediationrequests',
		kubeconfigPath,
		(change) => {
			const { type, object } = change;
			if (type === 'DELETED') return;
			const { name } = object.metadata;
			const known = versions.get(name);
			if (known === undefined) versions.set(name, [object]);
			else known.push(object);
		},
	);
	return {
		since: (name, resourceVersion) =>
			(versions.get(name) ?? []).filter(({ metadata }) => BigInt(metadata.resourceVersion) >= resourceVersion),
		caughtUp: () => watch.caughtUp(),
		stop: () => watch.stop(),
	};
}
