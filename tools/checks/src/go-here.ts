// The Go of this machine in a word, for turbo: tests that need one are left out where there is none, and what passed
// without them says nothing when there is.
import { spawnSync } from 'node:child_process';

export function goHere(environment: NodeJS.ProcessEnv = process.env): string {
	const { stdout } = spawnSync('go', ['env', 'GOVERSION'], {
		encoding: 'utf8',
		env: { ...environment, GOTOOLCHAIN: 'local', GOWORK: 'off' },
	});
	return stdout?.trim() || 'none';
}
