// turbo hides from the tasks whatever no turbo.json names. The user's KUBECONFIG must stay hidden: it may name a
// production cluster.
import { posix } from 'node:path';
import { filesUnder, readText } from '../tree.ts';
import type { Violation } from '../violation.ts';

const HIDDEN = 'KUBECONFIG';

type Task = { env?: string[]; passThroughEnv?: string[] };
type Turbo = { envMode?: string; globalEnv?: string[]; globalPassThroughEnv?: string[]; tasks?: Record<string, Task> };

export function environmentOfTasks(root: string): Violation[] {
	return filesUnder(root).flatMap((where) => {
		const name = posix.basename(where);
		if (name === 'turbo.json')
			return shownBy(JSON.parse(readText(root, where)) as Turbo).map((what) => ({ where, what }));
		return name === 'package.json' && /--env-mode[= ]loose/.test(readText(root, where))
			? [{ where, what: `runs turbo with --env-mode=loose, which shows tasks ${HIDDEN}: leave it out` }]
			: [];
	});
}

function shownBy({ envMode, globalEnv, globalPassThroughEnv, tasks = {} }: Turbo): string[] {
	const lists: Record<string, string[] | undefined> = { globalEnv, globalPassThroughEnv };
	for (const [task, { env, passThroughEnv }] of Object.entries(tasks))
		Object.assign(lists, { [`env of ${task}`]: env, [`passThroughEnv of ${task}`]: passThroughEnv });
	const shown = Object.entries(lists).flatMap(([list, names = []]) =>
		names.filter(isShown).map((name) => `${list} has ${name}, which shows tasks ${HIDDEN}: name what they need`),
	);
	return envMode === 'loose' ? [...shown, `envMode loose shows tasks ${HIDDEN}: leave it out`] : shown;
}

/** In turbo's patterns `*` stands for any characters, and a leading `!` takes away. */
function isShown(pattern: string): boolean {
	return !pattern.startsWith('!') && new RegExp(`^${pattern.split('*').join('.*')}$`).test(HIDDEN);
}
