// Three apps in a temporary directory, gone when the test ends, with a lock and a logger each.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { TwinTable } from '../src/table.ts';

export type Files = Readonly<Record<string, string>>;

export const MADE_UP_TABLE: TwinTable = {
	twins: [
		{ reference: 'gateway', inEveryApp: true, files: ['logger.ts'] },
		{ reference: 'gateway', inEveryApp: false, files: ['distributed-lock.ts'] },
	],
	ownRooms: ['app.ts'],
};

export const LOCK = `// The lock: the reference copy.
import { createHash } from 'node:crypto';

const LOCK_PREFIX = 'gw-lock-';

export class DistributedLock {
	readonly #held = new Map<string, string>();

	/** Waits. */
	async acquire(key: string): Promise<void> {
		this.#held.set(key, nameOf(key));
	}

	async release(key: string): Promise<void> {
		this.#held.delete(key);
	}
}

function nameOf(key: string): string {
	return LOCK_PREFIX + createHash('sha256').update(key).digest('hex');
}
`;

const LOGGER = 'export const logger = console;\n';

/** The gateway has the lock, every app the logger; `changes` come on top. */
export function madeUpTree(changes: Files = {}): string {
	const root = mkdtempSync(join(tmpdir(), 'twins-'));
	onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
	const files = {
		'apps/gateway/src/logger.ts': LOGGER,
		'apps/notification/src/logger.ts': LOGGER,
		'apps/orchestrator/src/logger.ts': LOGGER,
		'apps/gateway/src/distributed-lock.ts': LOCK,
		...changes,
	};
	for (const [path, content] of Object.entries(files)) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), content);
	}
	return root;
}
