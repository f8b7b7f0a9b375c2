import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withoutServices } from './debian-packages.ts';

let directory: string;
let policy: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), 'kubernaut-policy-'));
	policy = join(directory, 'policy-rc.d');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** 101 forbids it. */
const answer = () => spawnSync(policy, ['docker.service', 'start']).status;

it('packages that are installed start no service, and afterwards all may again', async () => {
	expect(await withoutServices(policy, async () => answer())).toBe(101);
	expect(existsSync(policy)).toBe(false);
});

it('all may again after a failure, too, and after a run that was killed', async () => {
	const failing = withoutServices(policy, () => Promise.reject(new Error('no mirror')));
	await expect(failing).rejects.toThrow('no mirror');
	expect(existsSync(policy)).toBe(false);
	let ours = '';
	await withoutServices(policy, async () => (ours = readFileSync(policy, 'utf8')));
	writeFileSync(policy, ours);
	await withoutServices(policy, async () => {});
	expect(existsSync(policy)).toBe(false);
});

it("the machine's own answer stays as it is", async () => {
	writeFileSync(policy, '#!/bin/sh\nexit 104\n');
	execFileSync('chmod', ['755', policy]);
	expect(await withoutServices(policy, async () => answer())).toBe(104);
	expect(readFileSync(policy, 'utf8')).toContain('104');
});
