// Three apps in a temporary directory, gone when the test ends: a mirrored folder in each, a lock in two.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { MirroredFolder } from '../src/table.ts';

export type Files = Readonly<Record<string, string | undefined>>;

export const MADE_UP_TABLE: readonly MirroredFolder[] = [
	{ folder: 'process', reference: 'gateway', copies: ['orchestrator', 'notification'], exceptions: {} },
	{ folder: 'lock', reference: 'gateway', copies: ['orchestrator'], exceptions: {} },
];

const FILES: Files = {
	'apps/gateway/src/process/logger.ts': 'one\ntwo\n',
	'apps/gateway/src/process/logger.test.ts': 'a test\n',
	'apps/orchestrator/src/process/logger.ts': 'one\ntwo\n',
	'apps/notification/src/process/logger.ts': 'one\ntwo\n',
	'apps/gateway/src/lock/deep/lease.ts': 'lease\n',
	'apps/orchestrator/src/lock/deep/lease.ts': 'lease\n',
};

/** In sync, but for the `changes`; undefined: the file is not there. */
export function madeUpTree(changes: Files = {}, files: Files = FILES): string {
	const root = mkdtempSync(join(tmpdir(), 'mirror-'));
	onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
	for (const [path, content] of Object.entries({ ...files, ...changes })) write(root, path, content);
	return root;
}

export function write(root: string, path: string, content: string | undefined): void {
	if (content === undefined) return;
	mkdirSync(dirname(join(root, path)), { recursive: true });
	writeFileSync(join(root, path), content);
}

export function commitAll(root: string): void {
	const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });
	git('init', '--quiet');
	git('add', '.');
	git('-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false', 'commit', '--quiet', '-m', 'all');
}
