// Metrics and readiness of the look-up of targets.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { APP } from '../../app.ts';
import { REMEDIATION_REQUEST_TARGET_SOURCES } from '../../generated/remediation-request.ts';
import type { Check } from '../../process/health-server.ts';
import { LOOK_UP_RESOURCES, type LookUpResource, type RightsObserver } from './look-up-rights.ts';
import type { LookUpObserver } from './target-look-up.ts';

export function lookUpMetrics(registry: Registry): LookUpObserver & RightsObserver {
	const registers = [registry];
	const targets = new Counter({
		name: `${APP.metricsPrefix}targets_total`,
		help: 'Targets of requests that were about to be made, by how they were found (spec.targetSource)',
		labelNames: ['source'],
		registers,
	});
	const durations = new Histogram({
		name: `${APP.metricsPrefix}target_lookup_duration_seconds`,
		help: 'Duration of the look-up of a target; it begins beside the create of the Lease',
		buckets: [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
		registers,
	});
	const forbidden = new Gauge({
		name: `${APP.metricsPrefix}target_lookup_forbidden`,
		help: '1 while the look-up of targets lacks the right to read this resource, so that targets are as signals name them',
		labelNames: ['resource'],
		registers,
	});
	for (const source of REMEDIATION_REQUEST_TARGET_SOURCES) targets.inc({ source }, 0);
	for (const resource of LOOK_UP_RESOURCES) forbidden.set({ resource }, 0);
	return {
		lookedUp(source, seconds) {
			targets.inc({ source });
			if (source !== 'Named' && source !== 'Alert') durations.observe(seconds);
		},
		forbidden: (resource) => forbidden.set({ resource }, 1),
		allowed: (resource) => forbidden.set({ resource }, 0),
	};
}

/** A right that is missing makes targets less good, and no signal is lost: the replica stays ready, and says so. */
export function lookUpReadiness(): RightsObserver & { check(): Check } {
	const refused = new Map<LookUpResource, string>();
	return {
		forbidden: (resource, message) => void refused.set(resource, message),
		allowed: (resource) => void refused.delete(resource),
		check: () => ({
			name: 'target-look-up',
			ok: true,
			message: refused.size === 0 ? 'allowed' : `targets are as signals name them: ${[...refused.values()].join('; ')}`,
		}),
	};
}
