// The example of the lock, as it is in the code.

import { readText } from '../tree.ts';
import type { AppFacts } from './app-facts.ts';

const LOCK_EXAMPLE = 'apps/gateway/src/lock/lease-lock.example.ts';

export function lockExampleSection(_: readonly AppFacts[], root: string): string {
	return `\`\`\`ts\n${readText(root, LOCK_EXAMPLE).trimEnd()}\n\`\`\``;
}
