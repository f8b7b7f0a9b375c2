// A part's program, wherever it can be had: found, else built.
import { type BuildOptions, buildPart } from './build-part.ts';
import { findPart } from './find-part.ts';
import type { PartName } from './parts.ts';

export class PartUnavailableError extends Error {
	readonly tried: readonly string[];
	constructor(what: string, tried: readonly string[], advice: string) {
		super(`${what} could not be had here. Tried:\n${tried.map((line) => `  - ${line}`).join('\n')}\n${advice}`);
		this.name = 'PartUnavailableError';
		this.tried = tried;
	}
}

export async function obtainPart(name: PartName, options: BuildOptions = {}): Promise<string> {
	const search = findPart(name, options.environment);
	if ('found' in search) return search.found.path;
	const built = await buildPart(name, options);
	if ('path' in built) return built.path;
	throw new PartUnavailableError(
		name,
		[...search.tried, built.problem],
		`Install ${name} so that it is on PATH, or Go (see the line above for the version) so that it can be built.`,
	);
}
