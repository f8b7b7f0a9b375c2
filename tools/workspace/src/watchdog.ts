// Waits until its owner is gone, then ends what the owner had started. See owned-processes.ts.
import { ownerOf, stopOwned } from './owned-processes.ts';

const [directory, owner] = process.argv.slice(2);
if (directory === undefined || owner === undefined)
	throw new Error('usage: watchdog.ts <directory of owned processes> <identity of the owner>');

// A signal to the whole process group (Ctrl-C, the end of a session) is the owner's business: its end is what counts.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdin.resume();
process.stdin.on('error', () => {});
process.stdin.on('close', () => {
	// Else it is removed already, or kept, or made anew under the same name by another owner.
	if (JSON.stringify(ownerOf(directory)) === owner)
		void stopOwned(directory).then(
			() => process.exit(0),
			() => process.exit(1), // the next sweep tries again, and says why it cannot
		);
	else process.exit(0);
});
