// For tests of the reconciler on the model: a run that was started, and a replica that never waits for its turn.
import type { StoredRun } from '../simulation/model.ts';

export const NO_TURNS = { waitMs: () => 0, leaveToBusyMs: () => 0, actedInsteadOfOthers() {}, settled() {} };
/** Of the first execution of the model. */
export const STARTED_RUN: StoredRun = {
	uid: 'run-1',
	version: 2,
	owner: 'uid-0',
	status: 'started',
	deleting: false,
	held: true,
	foreground: false,
};
