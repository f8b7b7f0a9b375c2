import { expect, it } from 'vitest';
import { smallFolders } from '../src/rules/small-folders.ts';
import { type Files, madeUpTree } from './made-up-tree.ts';

function folderOf(count: number, folder: string, ending = '.ts'): Files {
	return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}/file-${index}${ending}`, '']));
}

it.each([
	{ what: '16 files', files: folderOf(16, 'apps/gateway/src/http') },
	{
		what: '16 files and their tests',
		files: { ...folderOf(16, 'apps/a/src'), ...folderOf(16, 'apps/a/src', '.test.ts') },
	},
	{ what: '16 files and a folder', files: { ...folderOf(16, 'tools/a/src'), ...folderOf(16, 'tools/a/src/b') } },
	{ what: 'many files that are no sources', files: folderOf(20, 'tools/a/src', '.json') },
	{ what: 'a flat list of rules', files: folderOf(20, 'tools/repo-rules/src/rules') },
	{ what: 'a flat list of generated types', files: folderOf(20, 'apps/gateway/src/generated') },
	{ what: 'many pages', files: folderOf(20, 'docs') },
])('a folder with $what passes', ({ files }) => {
	expect(smallFolders(madeUpTree(files))).toEqual([]);
});

it.each([
	{ folder: 'apps/gateway/src/http', ending: '.ts' },
	{ folder: 'apps/gateway/test/harness', ending: '.ts' },
	{ folder: 'packages/backoff/src', ending: '.ts' },
	{ folder: 'tools/workspace/src', ending: '.mjs' },
	{ folder: 'tools/repo-rules/src/rules/deeper', ending: '.ts' },
])('a folder $folder with 17 sources ($ending) is found', ({ folder, ending }) => {
	expect(smallFolders(madeUpTree(folderOf(17, folder, ending)))).toEqual([
		{ where: folder, what: 'holds 17 source files, and 16 is the limit: split it by idea' },
	]);
});
