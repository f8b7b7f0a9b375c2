// A small repository in a temporary directory, gone when its test ends.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

export type Files = Readonly<Record<string, string | object>>;

function temporaryDirectory(): string {
	const directory = mkdtempSync(join(tmpdir(), 'repo-rules-'));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
	return directory;
}

/** A value that is not text is written as JSON. */
export function madeUpTree(files: Files): string {
	const root = temporaryDirectory();
	for (const [path, content] of Object.entries(files)) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
	}
	return root;
}

export function inEveryApp(apps: readonly string[], files: Files): Files {
	return Object.fromEntries(
		apps.flatMap((app) => Object.entries(files).map(([path, content]) => [`apps/${app}/${path}`, content])),
	);
}
