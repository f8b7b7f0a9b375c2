import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { uncleanTree } from './unclean-tree.ts';

let root: string;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'unclean-tree-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function commitAll(): void {
	const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
	git('init');
	git('add', '-A');
	git('-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '-m', 'all');
}

it('a tree in which all is committed is clean', () => {
	writeFileSync(join(root, 'types.ts'), '');
	commitAll();
	expect(uncleanTree(root)).toBeUndefined();
});

it('a generated file that is stale or new is named', () => {
	writeFileSync(join(root, 'types.ts'), '');
	commitAll();
	writeFileSync(join(root, 'types.ts'), '// generated\n');
	writeFileSync(join(root, 'new.ts'), '// generated\n');
	expect(uncleanTree(root)).toBe(
		'The tree is not clean. Commit what was generated, or undo what should not be there:\n M types.ts\n?? new.ts',
	);
});

it('a directory that is no checkout cannot be judged, and that is no success', () => {
	expect(uncleanTree(root)).toContain('this is not a git checkout');
});
