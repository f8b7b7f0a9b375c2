import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { K3S_IMAGE } from '../server/k3s.ts';
import { builtBinaryPath, GO_MODULES, neededGo } from './build-part.ts';
import { PART_NAMES, PARTS } from './parts.ts';
import { isOlder, versionIn } from './version.ts';

const read = (name: keyof typeof PARTS, file: string) =>
	readFileSync(join(GO_MODULES, PARTS[name].directory, file), 'utf8');

/** Prometheus as a library, v0.311.2, is the server 3.11.2. */
const serverVersion = (moduleVersion: string) => versionIn(moduleVersion.replace(/^v0\.(\d)(\d\d)\./, '$1.$2.'));

describe.each(PART_NAMES.filter((name) => PARTS[name].module !== ''))('%s', (name) => {
	const part = PARTS[name];

	it('is required by its go.mod at the version of its row', () => {
		const required = [...read(name, 'go.mod').matchAll(/^\s*(?:require )?(\S+) (v\S+)(?: \/\/ indirect)?$/gm)];
		expect(required.map(([, module, version]) => `${module} ${version}`)).toContain(`${part.module} ${part.version}`);
	});

	it('has its checksum in go.sum', () => {
		expect(`\n${read(name, 'go.sum')}`).toContain(`\n${part.module} ${part.version} h1:`);
	});

	it('is itself new enough', () => {
		expect(isOlder(serverVersion(part.version)!, part.oldest)).toBe(false);
	});
});

const RELEASED = PART_NAMES.filter((name) => PARTS[name].package !== '.'); // the others are mains of ours
it.each(RELEASED)('%s is a tool of its go.mod, so that nothing else is pinned', (name) => {
	const block = /^tool \(([^)]*)\)/m.exec(read(name, 'go.mod'))?.[1]?.trim().split(/\s+/) ?? [];
	const single = [...read(name, 'go.mod').matchAll(/^tool ([^\s(]+)$/gm)].map(([, path]) => path);
	expect([...block, ...single]).toContain(PARTS[name].package);
});

// They have their version in their source, or print none.
const WITHOUT_FLAG = PART_NAMES.filter((name) => ['etcd', 'kwok'].includes(name) || !PARTS[name].versionArgs);
describe.each(PART_NAMES.filter((name) => !WITHOUT_FLAG.includes(name)))('%s', (name) => {
	it('that we build prints the version of its row', () => {
		const printed = versionIn(/[vV]ersion=v?(\S+)/.exec(PARTS[name].ldflags ?? '')?.[1] ?? '');
		expect(printed).toBe(serverVersion(PARTS[name].version));
	});
});

const NAMES_AN_ADDRESS = /:\d+$|address|host|urls?=/;
const IS_LOOPBACK = /=(?:https?:\/\/)?127\.0\.0\.1(?::\d+)?$/;
// Their ports can be set, their addresses cannot.
const ON_ALL_INTERFACES = ['tekton-controller', 'tekton-webhook'];

describe.each(PART_NAMES.filter((name) => PARTS[name].start !== undefined))('%s', (name) => {
	it('keeps to its directory and to the loopback interface', () => {
		const part = PARTS[name];
		const ports = Array.from({ length: part.ports }, (_, i) => 20_001 + i);
		const plan = part.start!({ directory: '/where', ports, extraArgs: ['--last'] });
		expect(plan.args.at(-1)).toBe('--last');
		const settings = [...plan.args, ...Object.values(plan.env ?? {})];
		for (const port of ports) expect(settings.join(' ')).toContain(String(port));
		for (const [path] of plan.args.join(' ').matchAll(/(?<==)\/[\w/.-]+/g)) expect(path).toMatch(/^\/where\//);
		for (const url of [plan.url, plan.readyUrl]) expect(new URL(url).hostname).toBe('127.0.0.1');
		const addresses = plan.args.filter((arg) => NAMES_AN_ADDRESS.test(arg) && !arg.endsWith('=')); // empty: switched off
		expect(addresses.length === 0).toBe(ON_ALL_INTERFACES.includes(name));
		for (const address of addresses) expect(address).toMatch(IS_LOOPBACK);
	});
});

it.each(['kube-apiserver', 'kube-scheduler', 'kubelet'] as const)(
	'%s takes all staging modules from its release',
	(name) => {
		const staging = [...read(name, 'go.mod').matchAll(/^\s*(?:replace )?(k8s\.io\/\S+) => \S+ (\S+)$/gm)];
		expect(staging.length).toBeGreaterThan(20);
		const want = PARTS[name].version.replace('v1.', 'v0.');
		for (const [, module, version] of staging) expect(`${module} ${version}`).toBe(`${module} ${want}`);
	},
);

it('one Go builds all of them', () => {
	expect(new Set(PART_NAMES.map((name) => versionIn(neededGo(name))?.split('.').slice(0, 2).join('.'))).size).toBe(1);
});

it('k3s is new enough too', () => {
	expect(isOlder(versionIn(K3S_IMAGE.split(':')[1]!)!, PARTS['kube-apiserver'].oldest)).toBe(false);
});

it('a finished binary is keyed by part, version, platform and recipe', () => {
	const paths = PART_NAMES.map((name) => builtBinaryPath(name, { KUBERNAUT_CACHE_DIR: '/cache' }));
	expect(new Set(paths).size).toBe(PART_NAMES.length);
	for (const [i, name] of PART_NAMES.entries()) {
		const key = `${name}-${PARTS[name].version}-${process.platform}-${process.arch}`;
		expect(paths[i]?.replace(/-[0-9a-f]{8}\//, '-RECIPE/')).toBe(`/cache/bin/${key}-RECIPE/${name}`);
	}
});
