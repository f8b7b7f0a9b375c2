// When a finished message is removed. Not soon: the orchestrator would find its notification missing and make it again.
import type { Notification } from '../objects/notification.ts';
import { isFinished } from '../objects/notification.ts';

export const MIN_RETENTION_MS = 600_000;

/** Undefined: it is not finished. */
export function removalTime(
	{ phase, completedAt, retentionMs }: Pick<Notification, 'phase' | 'completedAt' | 'retentionMs'>,
	defaultMs: number,
): number | undefined {
	if (!isFinished({ phase }) || completedAt === undefined) return undefined;
	return Date.parse(completedAt) + Math.max(retentionMs ?? defaultMs, MIN_RETENTION_MS);
}
