// Makes a mutant: a directory that holds the rooms of the reference lock, changed, and links to everything else. Links
// lead to the real files, so that a class of another room is the same class for the mutant as for the exam.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Mutant } from './mutant.ts';

/** Rooms that a mutant may change, and those that import them. */
const ROOM = /^(?:distributed-lock\.ts|metrics\.ts|process\/(?:abort|identity)\.ts|lock\/[a-z-]+\.ts)$/;
/** Folders that hold such a room, and with it real files beside the links. */
const MIXED = new Set(['lock', 'process']);

/** Where the reference lock lies: the gateway's. */
export const REFERENCE = new URL('../../../apps/gateway/src/', import.meta.url);
export const REFERENCE_APP = 'gateway';

/** Returns where its rooms lie, a directory inside `directory`. */
export function breedMutant(changes: Mutant['changes'], directory: string): URL {
	const reference = fileURLToPath(REFERENCE);
	const rooms = join(directory, 'src');
	mkdirSync(rooms);
	// As in an app: what is imported by its name is found one directory up.
	symlinkSync(join(reference, '..', 'node_modules'), join(directory, 'node_modules'));
	const breed = (name: string) => {
		if (name.endsWith('.test.ts')) return;
		if (ROOM.test(name)) writeFileSync(join(rooms, name), mutatedText(changes, name));
		else if (MIXED.has(name)) {
			mkdirSync(join(rooms, name));
			for (const inside of readdirSync(join(reference, name))) breed(`${name}/${inside}`);
		} else symlinkSync(join(reference, name), join(rooms, name));
	};
	for (const name of readdirSync(reference)) breed(name);
	return pathToFileURL(`${rooms}/`);
}

/** The text of one room with the mutant's changes; throws when one does not apply. */
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

export function isRoom(name: string): boolean {
	return ROOM.test(name);
}
