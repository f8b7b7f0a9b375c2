// What must hold in every state, and at the end of every way.
import { type History, isLive, type Store } from './model.ts';

export class Violation extends Error {}

export function judge(
	store: Store,
	history: History,
	before: { readonly store: Store; readonly history: History },
): void {
	const live = [...new Set(history.starts.map(({ run }) => run))].filter((run) => isLive(store, run));
	if (live.length > 1) throw new Violation(`two runs are started and not dead: ${live.join(' and ')}`);
	const freed = before.store.run?.uid;
	if (freed !== undefined && store.run?.uid !== freed && store.parts[freed]?.pod === 'alive')
		throw new Violation(`the name is free, and something of ${freed} lives`);
	const owners = history.starts.map(({ owner }) => owner);
	const twice = owners.find((owner, index) => owners.indexOf(owner) !== index);
	if (twice !== undefined) throw new Violation(`the execution ${twice} was started twice`);
	if (history.starts.length > before.history.starts.length) judgeStart(store, history);
	for (const { name, uid, phase, reason, run } of store.executions) {
		const earlier = before.store.executions.find((one) => one.uid === uid);
		if (phase === earlier?.phase) continue;
		if (reason === 'ExternallyDeleted' && !history.deleted.includes(run ?? ''))
			throw new Violation(`${name} is ExternallyDeleted, and its run was not deleted`);
		if (reason === 'Cancelled' && earlier?.deleting !== true)
			throw new Violation(`${name} was cancelled, and nothing asked for it`);
		if (phase === 'Failed' && history.succeeded.includes(run ?? ''))
			throw new Violation(`${name} is Failed (${reason}), and its run had succeeded`);
		if (phase === 'Completed' && !history.succeeded.includes(run ?? ''))
			throw new Violation(`${name} is Completed, and its run had not succeeded`);
	}
	for (const uid of Object.keys(store.parts))
		if (before.store.parts[uid] === undefined && history.cancelled.includes(uid))
			throw new Violation(`a step of ${uid} began after its end was asked for`);
}

/** Only what an execution names, while it runs, is started. */
function judgeStart(store: Store, { starts }: History): void {
	const { run, owner } = starts.at(-1) ?? { run: '', owner: '' };
	const execution = store.executions.find(({ uid }) => uid === owner);
	if (execution?.run !== run || execution.phase !== 'Running')
		throw new Violation(`${run} was started, and its execution does not run with it`);
}

/** After everything that was left to do was done, without interference. */
export function judgeEnd({ executions, run, parts }: Store): void {
	for (const { name, phase, deleting } of executions) {
		if (deleting) throw new Violation(`${name} is still being deleted: its finalizer is stuck`);
		if (phase === undefined || phase === 'Running')
			throw new Violation(`${name} never ended: it is ${phase ?? 'Pending'}`);
	}
	if (run !== undefined) throw new Violation(`the name is never free: ${JSON.stringify(run)}`);
	const left = Object.entries(parts).find(([, { pod, task }]) => pod === 'alive' || task === 'running');
	if (left !== undefined) throw new Violation(`something of ${left[0]} lives on: ${JSON.stringify(left[1])}`);
}
