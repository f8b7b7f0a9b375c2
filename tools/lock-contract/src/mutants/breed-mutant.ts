// Makes a mutant: a directory with the modules of the reference lock, changed, and links to everything else. The links
// lead to the real files, so that a class of an unchanged module is the same class for the mutant and for the suite.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Mutant } from './mutant.ts';

/** Modules that a mutant may change, and those that import them. */
const MODULE = /^(?:distributed-lock\.ts|metrics\.ts|process\/(?:abort|identity)\.ts|lock\/[a-z-]+\.ts)$/;
/** Folders that hold such a module, and so real files beside links. */
const MIXED = new Set(['lock', 'process']);

/** The reference lock is the gateway's. */
export const REFERENCE = new URL('../../../../apps/gateway/src/', import.meta.url);
export const REFERENCE_APP = 'gateway';

/** Returns the folder of its modules, inside `directory`. */
export function breedMutant(changes: Mutant['changes'], directory: string): URL {
	const reference = fileURLToPath(REFERENCE);
	const modules = join(directory, 'src');
	mkdirSync(modules);
	// As in an app: packages are found one directory up.
	symlinkSync(join(reference, '..', 'node_modules'), join(directory, 'node_modules'));
	const breed = (name: string) => {
		if (name.endsWith('.test.ts')) return;
		if (MODULE.test(name)) writeFileSync(join(modules, name), mutatedText(changes, name));
		else if (MIXED.has(name)) {
			mkdirSync(join(modules, name));
			for (const inside of readdirSync(join(reference, name))) breed(`${name}/${inside}`);
		} else symlinkSync(join(reference, name), join(modules, name));
	};
	for (const name of readdirSync(reference)) breed(name);
	return pathToFileURL(`${modules}/`);
}

/** The text of one module with the mutant's changes; throws when one does not apply. */
export function mutatedText(changes: Mutant['changes'], name: string): string {
	let text = readFileSync(new URL(name, REFERENCE), 'utf8');
	for (const change of changes) {
		if (change.file !== name) continue;
		if ('whole' in change) {
			text = readFileSync(change.whole, 'utf8');
			continue;
		}
		const times = text.split(change.old).length - 1;
		if (times !== 1) throw new Error(`a text to be changed stands ${times} times in ${name}: ${change.old}`);
		text = text.replace(change.old, () => change.new);
	}
	return text;
}

export function isModule(name: string): boolean {
	return MODULE.test(name);
}
