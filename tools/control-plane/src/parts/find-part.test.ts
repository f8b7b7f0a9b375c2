import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeProgram, writeVersionProgram } from '../../test/fake-programs.ts';
import { builtBinaryPath } from './build-part.ts';
import { findPart } from './find-part.ts';

let directory: string;
let environment: NodeJS.ProcessEnv;
let places: { assets: string; path: string; laterPath: string; cache: string };
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), 'find-part-'));
	environment = {
		KUBEBUILDER_ASSETS: join(directory, 'assets'),
		PATH: `${join(directory, 'a')}:${join(directory, 'b')}`,
		KUBERNAUT_CACHE_DIR: join(directory, 'cache'),
	};
	places = {
		assets: join(directory, 'assets', 'etcd'),
		path: join(directory, 'a', 'etcd'),
		laterPath: join(directory, 'b', 'etcd'),
		cache: builtBinaryPath('etcd', environment),
	};
});
afterEach(() => rmSync(directory, { recursive: true }));

const NEW = 'etcd Version: 3.6.99';
const OLD = 'etcd Version: 3.4.23';

describe('order', () => {
	it('is KUBEBUILDER_ASSETS, PATH from its beginning, our cache', () => {
		const order = ['assets', 'path', 'laterPath', 'cache'] as const;
		for (const place of order) writeVersionProgram(places[place], NEW);
		for (const place of order) {
			expect(findPart('etcd', environment)).toMatchObject({ found: { path: places[place], version: '3.6.99' } });
			rmSync(places[place]);
		}
		expect(findPart('etcd', environment)).toHaveProperty('tried');
	});
});

describe('passes over, with the reason,', () => {
	it('a binary that is too old, and takes the next', () => {
		writeVersionProgram(places.assets, OLD);
		writeVersionProgram(places.path, OLD);
		writeVersionProgram(places.laterPath, NEW);
		expect(findPart('etcd', environment)).toMatchObject({ found: { path: places.laterPath, where: 'PATH' } });
		rmSync(places.laterPath);
		expect(findPart('etcd', environment)).toEqual({
			tried: [
				`KUBEBUILDER_ASSETS: ${places.assets} is 3.4.23, at least 3.6 is needed`,
				`PATH: ${places.path} is 3.4.23, at least 3.6 is needed`,
				'PATH and cache: no usable etcd',
			],
		});
	});

	it.each([
		{ what: 'prints none', script: 'echo etcd' },
		{ what: 'prints only that of its Go', script: 'echo "etcd, version (branch: )"; echo "  go version: go9.9.9"' },
		{ what: 'fails with a text that looks like one', script: `echo "version GLIBC_9.9 not found" >&2; exit 1` },
	])('a binary that $what', ({ script }) => {
		writeProgram(places.path, script);
		expect(findPart('etcd', environment)).toMatchObject({
			tried: expect.arrayContaining([`PATH: ${places.path} does not print its version`]),
		});
	});
});

it('takes a version from the error output, where older programs print it', () => {
	writeProgram(places.path, `echo '${NEW}' >&2`);
	expect(findPart('etcd', environment)).toMatchObject({ found: { version: '3.6.99' } });
});

it('takes neither a directory nor a file that is no program', () => {
	mkdirSync(places.assets, { recursive: true });
	chmodSync(writeVersionProgram(places.path, NEW), 0o644);
	expect(findPart('etcd', environment)).toEqual({
		tried: [`KUBEBUILDER_ASSETS: no etcd in ${environment['KUBEBUILDER_ASSETS']}`, 'PATH and cache: no usable etcd'],
	});
});

it('finds nothing in an environment without anything', () => {
	expect(findPart('etcd', { KUBERNAUT_CACHE_DIR: environment['KUBERNAUT_CACHE_DIR'] })).toEqual({
		tried: ['PATH and cache: no usable etcd'],
	});
});

it('takes a program that does not print its version only from our cache', () => {
	const [onPath, built] = [join(directory, 'a', 'tekton-webhook'), builtBinaryPath('tekton-webhook', environment)];
	writeProgram(onPath, 'exit 1');
	expect(findPart('tekton-webhook', environment)).toHaveProperty('tried');
	writeProgram(built, 'exit 1');
	expect(findPart('tekton-webhook', environment)).toEqual({
		found: { path: built, version: '1.15.1', where: 'cache' },
	});
});
