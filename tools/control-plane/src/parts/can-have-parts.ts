// A machine with nothing but Docker, or nothing but a few binaries, is supported: tests that need other programs ask
// first, and are left out there.
import { GO_MODULES } from './build-part.ts';
import { findPart } from './find-part.ts';
import { findGo } from './go-toolchain.ts';
import { PARTS, type PartName } from './parts.ts';

/** Each of them is there, or there is a Go that can build it. */
export async function canHaveParts(names: readonly PartName[]): Promise<boolean> {
	const missing = names.filter((name) => !('found' in findPart(name)));
	const directories = new Set(missing.map((name) => `${GO_MODULES}/${PARTS[name].directory}`));
	const searches = await Promise.all([...directories].map((directory) => findGo(directory)));
	return searches.every((search) => 'go' in search);
}
