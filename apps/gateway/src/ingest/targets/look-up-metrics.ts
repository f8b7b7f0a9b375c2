// Metrics and readiness of the look-up of targets.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { APP } from '../../app.ts';
import { REMEDIATION_REQUEST_TARGET_SOURCES } from '../../generated/remediation-request.ts';
import type { Check } from '../../process/health-server.ts';
import { LackingRights, LOOK_UP_RESOURCES, type RightsObserver } from './look-up-rights.ts';
import type { LookUpObserver } from './target-look-up.ts';

/** `now` is monotonic. */
export function lookUpMetrics(
	registry: Registry,
	now: () => number = () => performance.now(),
): LookUpObserver & RightsObserver {
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
	const lacking = new LackingRights(now);
	registry.registerMetric(
		new Gauge({
			name: `${APP.metricsPrefix}target_lookup_forbidden`,
			help: '1 when the look-up of targets lacks the right to read this resource, so that targets are as signals name them, by the last look-up of the past 15 minutes',
			labelNames: ['resource'],
			registers: [],
			collect() {
				const messages = lacking.messages();
				for (const resource of LOOK_UP_RESOURCES) this.set({ resource }, messages.has(resource) ? 1 : 0);
			},
		}),
	);
	for (const source of REMEDIATION_REQUEST_TARGET_SOURCES) targets.inc({ source }, 0);
	return {
		lookedUp(source, seconds) {
			targets.inc({ source });
			if (source !== 'Named' && source !== 'Alert') durations.observe(seconds);
		},
		forbidden: (resource, message) => lacking.forbidden(resource, message),
		allowed: (resource) => lacking.allowed(resource),
	};
}

/** A right that is missing makes targets less good, and no signal is lost: the replica stays ready, and says so. */
export function lookUpReadiness(now: () => number): RightsObserver & { check(): Check } {
	const lacking = new LackingRights(now);
	return {
		forbidden: (resource, message) => lacking.forbidden(resource, message),
		allowed: (resource) => lacking.allowed(resource),
		check() {
			const messages = [...lacking.messages().values()];
			return {
				name: 'target-look-up',
				ok: true,
				message: messages.length === 0 ? 'allowed' : `targets are as signals name them: ${messages.join('; ')}`,
			};
		},
	};
}
