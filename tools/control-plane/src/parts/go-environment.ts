// The environment in which Go works for us: the user's, without what he has set for builds of his own, be it in
// variables or by `go env -w`. Kept is where modules come from, who vouches for them, and where Go stores things.
import { execFile } from 'node:child_process';

const KEPT = [
	'GOPROXY',
	'GONOPROXY',
	'GOPRIVATE',
	'GOSUMDB',
	'GONOSUMDB',
	'GOINSECURE',
	'GOVCS',
	'GOAUTH',
	'GOPATH',
	'GOMODCACHE',
	'GOCACHE',
];
// By what they look like, not by a list: the next Go will have more of them. (GOOGLE_… has nothing to do with it.)
const A_SETTING_OF_GO = /^GO[A-Z0-9]+$/;

type GoAnswer = { text: string; timedOut: boolean };
type AskOptions = { cwd?: string; timeout?: number; signal?: AbortSignal };

export async function goEnvironment(environment: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
	const { text } = await askGo(['env', ...KEPT], { ...environment, GOTOOLCHAIN: 'local', GOWORK: 'off' });
	const values = text.split('\n');
	return {
		...Object.fromEntries(Object.entries(environment).filter(([name]) => !A_SETTING_OF_GO.test(name))),
		...Object.fromEntries(KEPT.map((name, i) => [name, values[i]]).filter(([, value]) => value)),
		GOENV: 'off', // the file of `go env -w`: what we keep of it stands above
		GOWORK: 'off',
	};
}

/** What it printed; nothing when there is no Go. */
export function askGo(args: readonly string[], env: NodeJS.ProcessEnv, options: AskOptions = {}): Promise<GoAnswer> {
	return new Promise((resolve) =>
		execFile('go', args, { ...options, env, encoding: 'utf8' }, (error, stdout) =>
			resolve({ text: stdout, timedOut: error?.killed === true }),
		),
	);
}
