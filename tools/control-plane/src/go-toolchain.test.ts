import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeProgram } from '../test/fake-programs.ts';
import { findGo, goDirective } from './go-toolchain.ts';

let directory: string;
let module: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), 'go-toolchain-'));
	module = join(directory, 'module');
	mkdirSync(module);
	writeFileSync(join(module, 'go.mod'), 'module example\n\ngo 1.26.0\n');
});
afterEach(() => rmSync(directory, { recursive: true }));

type Installed = {
	/** Its own version. */
	local: string;
	/** What `go env GOTOOLCHAIN` answers; the environment's goes first, as with the real one. */
	policy?: string;
	/** The version that it runs as when it may choose, in the module; empty: it fails to get one. */
	chosen?: string;
};

function installGo({ local, policy = 'auto', chosen = '' }: Installed): void {
	writeProgram(
		join(directory, 'bin', 'go'),
		`if [ "$1" = env ]; then echo "\${GOTOOLCHAIN:-${policy}}"; exit; fi
		if [ "$GOTOOLCHAIN" = local ]; then echo "go version go${local} linux/amd64"; exit; fi
		if [ -z "${chosen}" ]; then echo "go: download go1.26 failed" >&2; exit 1; fi
		if [ -f go.mod ]; then echo "go version go${chosen} linux/amd64"; else echo "go version go${local} linux/amd64"; fi`,
	);
}

it.each<{ what: string; go?: Installed; GOTOOLCHAIN?: string; want: ReturnType<typeof findGo> }>([
	{ what: 'no Go', want: { problem: 'Go: no `go` that works is on PATH' } },
	{ what: 'the very version', go: { local: '1.26.0' }, want: { go: 'go', toolchain: 'local' } },
	{ what: 'a newer one', go: { local: '1.27.3' }, want: { go: 'go', toolchain: 'local' } },
	{
		what: 'a new one whose user has chosen an older toolchain for other work',
		go: { local: '1.26.8' },
		GOTOOLCHAIN: 'go1.22.0',
		want: { go: 'go', toolchain: 'local' },
	},
	{
		what: 'Debian 12’s, from before toolchains',
		go: { local: '1.19.8' },
		want: { problem: 'Go: 1.19.8 is on PATH, 1.26.0 or later is needed' },
	},
	{
		what: 'an older one that may not fetch',
		go: { local: '1.22.2', policy: 'local' },
		want: { problem: 'Go: 1.22.2 is on PATH, 1.26.0 or later is needed, and GOTOOLCHAIN=local forbids fetching it' },
	},
	{
		what: 'an older one that is told not to fetch',
		go: { local: '1.22.2', chosen: '1.26.0' },
		GOTOOLCHAIN: 'local',
		want: { problem: 'Go: 1.22.2 is on PATH, 1.26.0 or later is needed, and GOTOOLCHAIN=local forbids fetching it' },
	},
	{
		what: 'an older one that fetches the right one',
		go: { local: '1.22.2', chosen: '1.26.0' },
		want: { go: 'go', toolchain: 'auto' },
	},
	{
		what: 'an older one that cannot fetch (no network)',
		go: { local: '1.22.2' },
		want: { problem: 'Go: 1.22.2 is on PATH, 1.26.0 or later is needed, and with GOTOOLCHAIN=auto Go did not get it' },
	},
	{
		what: 'an older one that is told to be yet another',
		go: { local: '1.22.2', chosen: '1.24.0' },
		GOTOOLCHAIN: 'go1.24.0',
		want: {
			problem: 'Go: 1.22.2 is on PATH, 1.26.0 or later is needed, and with GOTOOLCHAIN=go1.24.0 Go did not get it',
		},
	},
])('$what', ({ go, GOTOOLCHAIN, want }) => {
	if (go) installGo(go);
	const environment = { PATH: join(directory, 'bin'), ...(GOTOOLCHAIN ? { GOTOOLCHAIN } : {}) };
	expect(findGo(module, environment)).toEqual(want);
});

it('a go.mod without a go line is a fault of ours', () => {
	writeFileSync(join(module, 'go.mod'), 'module example\n');
	expect(() => goDirective(module)).toThrow('has no go line');
});
