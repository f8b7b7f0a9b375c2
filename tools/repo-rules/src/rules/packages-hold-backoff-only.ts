// What apps share at run time stands in packages/, and it is one thing: see docs/adr/0002.
import { namesIn } from '../tree.ts';
import type { Violation } from '../violation.ts';

const SHARED = ['backoff'];

export function packagesHoldBackoffOnly(root: string): Violation[] {
	const present = namesIn(root, 'packages');
	const extra = present.filter((name) => !SHARED.includes(name));
	const missing = SHARED.filter((name) => !present.includes(name));
	return [
		...extra.map((name) => ({
			where: `packages/${name}`,
			what: 'apps share only backoff at run time: move this into the app that needs it, or into tools/ if only tests do',
		})),
		...missing.map((name) => ({ where: `packages/${name}`, what: 'is missing: every app depends on it' })),
	];
}
