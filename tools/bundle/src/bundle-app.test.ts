// On an app in a temporary directory; that the real ones start from their bundles is part of the conformance suite of the apps.
import { spawnSync } from 'node:child_process';
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundleApp } from './bundle-app.ts';

let root: string;
let app: string;
let outfile: string;
beforeEach(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), 'bundle-app-'))); // esbuild tells paths as resolved
	app = join(root, 'apps', 'kitchen');
	outfile = join(app, 'dist', 'main.mjs');
	write('apps/kitchen/src/main.ts', `console.log('ready' satisfies string);`);
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
	mkdirSync(dirname(join(root, path)), { recursive: true });
	writeFileSync(join(root, path), text);
}

function linkLibrary(): void {
	mkdirSync(join(app, 'node_modules', '@kubernetes'), { recursive: true });
	symlinkSync(
		join(import.meta.dirname, '../node_modules/@kubernetes/client-node'),
		join(app, 'node_modules', '@kubernetes', 'client-node'),
	);
}

function run(path: string, ...args: string[]) {
	const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' });
	return { status, stdout, stderr };
}

describe('a bundle', () => {
	it('runs alone, with what npm and packages/ gave it inside, CommonJS included', async () => {
		write('node_modules/old/package.json', '{ "name": "old", "version": "1.0.0" }');
		write('node_modules/old/index.js', `const os = require('os'); exports.eol = os.EOL.length;`);
		write('packages/backoff/src/index.ts', `export const wait: number = 100;`);
		write(
			'apps/kitchen/src/main.ts',
			`import { eol } from 'old';
			import { wait } from '../../../packages/backoff/src/index.ts';
			console.log(process.argv[2], wait, eol > 0, (class Teapot {}).name);`,
		);
		expect(await bundleApp(app, outfile)).toBe(outfile);
		const elsewhere = join(root, 'alone.mjs');
		cpSync(outfile, elsewhere);
		for (const directory of ['apps', 'packages', 'node_modules']) rmSync(join(root, directory), { recursive: true });
		expect(run(elsewhere, '--help')).toEqual({ status: 0, stdout: '--help 100 true Teapot\n', stderr: '' });
	});

	it.each([
		{ path: 'tools/testkit/src/testkit.ts', want: '../../tools/testkit/src/testkit.ts' },
		{ path: 'apps/pantry/src/main.ts', want: '../pantry/src/main.ts' },
	])('never holds $path', async ({ path, want }) => {
		write(path, `console.log('not for production');`);
		write('apps/kitchen/src/other.ts', `import '../../../${path}';`);
		write('apps/kitchen/src/main.ts', `import './other.ts';`);
		await expect(bundleApp(app, outfile)).rejects.toThrow(`must not be in it: ${want}`);
		expect(existsSync(outfile)).toBe(false);
	});

	it('that reads kubeconfigs with the client library holds none of its models', async () => {
		linkLibrary();
		write(
			'apps/kitchen/src/main.ts',
			`import { KubeConfig } from '@kubernetes/client-node';
			const config = new KubeConfig();
			config.loadFromClusterAndUser({ name: 'a', server: 'https://a' }, { name: 'b', token: 'c' });
			const options = {};
			await config.applyToHTTPSOptions(options);
			console.log(options.headers.Authorization);`,
		);
		await bundleApp(app, outfile);
		expect(run(outfile)).toMatchObject({ status: 0, stdout: 'Bearer c\n' });
		expect(readFileSync(outfile, 'utf8')).not.toContain('V1ConfigMapKeySelector');
	});

	it('that would use more of the client library is not made, and the error says why', async () => {
		linkLibrary();
		write('apps/kitchen/src/main.ts', `import { CoreV1Api } from '@kubernetes/client-node'; console.log(CoreV1Api);`);
		await expect(bundleApp(app, outfile)).rejects.toThrow('CoreV1Api');
	});

	it('that cannot be made leaves the one before in place, and no draft', async () => {
		await bundleApp(app, outfile);
		const before = readFileSync(outfile, 'utf8');
		write('apps/kitchen/src/main.ts', `import './missing.ts';`);
		await expect(bundleApp(app, outfile)).rejects.toThrow('missing.ts');
		expect(readFileSync(outfile, 'utf8')).toBe(before);
		expect(readdirSync(dirname(outfile))).toEqual(['main.mjs']);
	});
});

it('the command bundles the app in whose directory it is called', () => {
	const cli = join(import.meta.dirname, 'cli.ts');
	expect(spawnSync(process.execPath, [cli], { cwd: app, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
	expect(run(outfile)).toMatchObject({ status: 0, stdout: 'ready\n' });
	write('apps/kitchen/src/main.ts', 'const =');
	expect(spawnSync(process.execPath, [cli], { cwd: app, encoding: 'utf8' }).status).not.toBe(0);
});
