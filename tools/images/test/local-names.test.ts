// Images that are built here and not pushed: whatever a node has or lacks, it asks no registry of others for them.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { localName } from '../src/local-name.ts';
import { APPS } from '../src/stage-app.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');

/** By file, as `image:` names it. */
const named = ['deploy', 'e2e/cluster'].flatMap(manifestsIn).flatMap((file) =>
	[...readFileSync(join(ROOT, file), 'utf8').matchAll(/^\s*(?:- )?image: (\S+)$/gm)].map(([, image = '']) => ({
		file,
		image,
	})),
);

it('a local name has a host, and its top-level domain exists nowhere (RFC 2606)', () => {
	// A first part without a dot or a port would be an account on Docker Hub; `localhost` is whatever listens on the node.
	expect(localName('gateway')).toMatch(/^[a-z]+\.invalid\/gateway$/);
});

it.each(APPS)('the Deployment of %s has the local name', (app) => {
	const file = `deploy/apps/${app}/deployment.yaml`;
	expect(named.filter((one) => one.file === file)).toEqual([{ file, image: `${localName(app)}:dev` }]);
});

it('no manifest names an image of ours as an account on Docker Hub', () => {
	expect(named.length).toBeGreaterThan(APPS.length);
	expect(named.filter(({ image }) => image.startsWith('kubernaut/'))).toEqual([]);
});

function manifestsIn(directory: string): string[] {
	const files = readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' });
	return files.filter((file) => file.endsWith('.yaml')).map((file) => join(directory, file));
}
