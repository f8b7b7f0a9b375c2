// ProcessSignal of ADR-052, section "Service Integration", with the retry loop of its addendum in front.
// Where the documents name a part without showing it, we take what is kindest to them:
//  - ShouldDeduplicate: one LIST by fingerprint (a field selector, so that the server filters), then the phases;
//  - UpdateDeduplicationStatus: read, add one, write, again on a conflict with the steps of client-go's DefaultBackoff;
//    its error is dropped, as in ADR-052: a count that could not be written is lost and fails no request;
//  - no client-side rate limit.
// A waiter that finds another pod's request: the ADR's picture says "Resource now exists, update status", the addendum's
// code just answers. `countAfterWait` chooses.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { BACKOFF_PRESETS, createBackoff } from '@kubernaut/backoff';
import { type KubeApi, KubeApiError, type KubeObject } from '@kubernaut/control-plane';
import { type BenchAlert, fingerprintOf, requestFor, requestName, requestsPath } from '../signal-request.ts';
import { createAdr052Lock } from './adr052-lock.ts';

export type Adr052Answer = { outcome: 'created' | 'duplicate'; name: string } | { outcome: 'failed'; message: string };

export type Adr052GatewayOptions = {
	api: KubeApi;
	namespace: string;
	podName: string;
	countAfterWait: boolean;
};

const LEASE_DURATION_MS = 30_000;
const MAX_RETRIES = 10;
const TERMINAL_PHASES: ReadonlySet<string> = new Set(['Completed', 'Failed', 'TimedOut', 'Skipped', 'Cancelled']);
/** client-go's retry.DefaultBackoff: four steps, 10 ms × 5 between them, up to a tenth more. */
const CONFLICT_WAITS_MS = [10, 50, 250];
const CONFLICT_JITTER = 0.1;

export function createAdr052Gateway({ api, namespace, podName, countAfterWait }: Adr052GatewayOptions) {
	const lock = createAdr052Lock({ api, namespace, holderId: podName, leaseDurationMs: LEASE_DURATION_MS });
	const backoff = createBackoff(BACKOFF_PRESETS.standard);
	const requests = requestsPath(namespace);

	async function processSignal(alert: BenchAlert): Promise<Adr052Answer> {
		const fingerprint = fingerprintOf(alert);
		for (let attempt = 1; attempt <= MAX_RETRIES; attempt++) {
			if (await lock.acquireLock(fingerprint)) return underLock(alert, fingerprint);
			if (attempt === MAX_RETRIES) break;
			await delay(backoff.calculate(attempt));
			const existing = await shouldDeduplicate(fingerprint);
			if (existing === undefined) continue;
			if (countAfterWait) await updateDeduplicationStatus(existing);
			return { outcome: 'duplicate', name: existing };
		}
		return { outcome: 'failed', message: `lock acquisition timeout after ${MAX_RETRIES} attempts` };
	}

	async function underLock(alert: BenchAlert, fingerprint: string): Promise<Adr052Answer> {
		try {
			const existing = await shouldDeduplicate(fingerprint);
			if (existing !== undefined) {
				await updateDeduplicationStatus(existing);
				return { outcome: 'duplicate', name: existing };
			}
			const body = requestFor(alert, timestampName(fingerprint));
			const created = await api.call('POST', requests, { body });
			return { outcome: 'created', name: created['metadata'].name };
		} finally {
			await lock.releaseLock(fingerprint);
		}
	}

	/** Consistent: no resourceVersion is given. */
	async function shouldDeduplicate(fingerprint: string): Promise<string | undefined> {
		const selector = encodeURIComponent(`spec.signalFingerprint=${fingerprint}`);
		const { items } = await api.call('GET', `${requests}?fieldSelector=${selector}`);
		const active = (items as KubeObject[]).find((item) => !TERMINAL_PHASES.has(item['status']?.overallPhase));
		return active?.['metadata'].name;
	}

	async function updateDeduplicationStatus(name: string): Promise<void> {
		for (let step = 0; ; step++) {
			const request = await api.call('GET', `${requests}/${name}`);
			request['status'].deduplication.occurrenceCount++;
			request['status'].deduplication.base++; // our CRD lets the readable count show only what was counted
			request['status'].deduplication.lastSeenAt = new Date().toISOString();
			const path = `${requests}/${name}/status`;
			const written = await api.send('PUT', path, { body: request });
			if (written.status < 400) return;
			if (written.status !== 409) throw new KubeApiError('PUT', path, written);
			const waitMs = CONFLICT_WAITS_MS[step];
			if (waitMs === undefined) return;
			await delay(waitMs * (1 + CONFLICT_JITTER * Math.random()));
		}
	}

	return { processSignal };
}

/** Timestamp-based as in DD-015, in the form that our CRD takes: milliseconds and four random digits. */
export function timestampName(fingerprint: string, nowMs = Date.now()): string {
	return requestName(fingerprint, nowMs.toString(16).padStart(12, '0') + randomBytes(2).toString('hex'));
}
