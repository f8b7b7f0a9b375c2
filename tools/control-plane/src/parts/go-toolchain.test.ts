import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeProgram } from '../../test/fake-programs.ts';
import { findGo, type GoSearch, goDirective } from './go-toolchain.ts';

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
	/** What happens before it runs as another. */
	fetch?: string;
};

function installGo({ local, policy = 'auto', chosen = '', fetch = '' }: Installed): void {
	writeProgram(
		join(directory, 'bin', 'go'),
		`if [ "$1" = env ]; then echo "\${GOTOOLCHAIN:-${policy}}"; exit; fi
		if [ "$GOTOOLCHAIN" = local ]; then echo "go version go${local} linux/amd64"; exit; fi
		${fetch}
		if [ -z "${chosen}" ]; then echo "go: download go1.26 failed" >&2; exit 1; fi
		if [ -f go.mod ]; then echo "go version go${chosen} linux/amd64"; else echo "go version go${local} linux/amd64"; fi`,
	);
}

it.each<{ what: string; go?: Installed; GOTOOLCHAIN?: string; want: GoSearch }>([
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
		what: 'an older one with GOTOOLCHAIN=local',
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
		what: 'an older one with another GOTOOLCHAIN',
		go: { local: '1.22.2', chosen: '1.24.0' },
		GOTOOLCHAIN: 'go1.24.0',
		want: {
			problem: 'Go: 1.22.2 is on PATH, 1.26.0 or later is needed, and with GOTOOLCHAIN=go1.24.0 Go did not get it',
		},
	},
])('$what', async ({ go, GOTOOLCHAIN, want }) => {
	if (go) installGo(go);
	const environment = { PATH: join(directory, 'bin'), ...(GOTOOLCHAIN ? { GOTOOLCHAIN } : {}) };
	expect(await findGo(module, environment)).toEqual(want);
});

describe('a toolchain that is fetched', () => {
	const environment = () => ({ PATH: join(directory, 'bin') });

	it('for too long is given up, and it is said', async () => {
		installGo({ local: '1.22.2', chosen: '1.26.0', fetch: 'exec /bin/sleep 1000' });
		expect(await findGo(module, environment(), { fetchLimitMs: 100 })).toEqual({
			problem:
				'Go: 1.22.2 is on PATH, 1.26.0 or later is needed, and with GOTOOLCHAIN=auto Go did not get it within 0 minutes',
		});
	});

	it('is not waited for after an abort', async () => {
		installGo({ local: '1.22.2', chosen: '1.26.0', fetch: `: > ${directory}/fetching; exec /bin/sleep 1000` });
		const controller = new AbortController();
		const finding = findGo(module, environment(), { signal: controller.signal });
		finding.catch(() => {}); // heard of below
		await expect.poll(() => existsSync(join(directory, 'fetching'))).toBe(true);
		controller.abort();
		await expect(finding).rejects.toMatchObject({ name: 'AbortError' });
	});

	it('is fetched also for a user who has switched modules off', async () => {
		installGo({ local: '1.22.2', chosen: '1.26.0', fetch: '[ "$GO111MODULE" = off ] && exit 1' });
		expect(await findGo(module, { ...environment(), GO111MODULE: 'off' })).toEqual({ go: 'go', toolchain: 'auto' });
	});
});

it('a go.mod without a go line is a fault of ours', () => {
	writeFileSync(join(module, 'go.mod'), 'module example\n');
	expect(() => goDirective(module)).toThrow('has no go line');
});
