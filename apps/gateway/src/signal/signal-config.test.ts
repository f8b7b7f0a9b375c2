import { describe, expect, it } from 'vitest';
import { loadConfig } from '../process/config-loader.ts';
import { impossibleSignalRelations, SIGNAL_CONFIG_KEYS, signalRules } from './signal-config.ts';
import { DEFAULT_SIGNAL_RULES } from './signal-rules.ts';

function load(environment: Record<string, string>) {
	return loadConfig(SIGNAL_CONFIG_KEYS, undefined, environment, impossibleSignalRelations);
}
function rules(environment: Record<string, string>) {
	const loaded = load(environment);
	if ('problems' in loaded) throw new Error(loaded.problems.join());
	return signalRules(loaded.config);
}

describe('the keys about targets and identity', () => {
	it('without a key the rules are the default ones', () => {
		expect(rules({})).toEqual(DEFAULT_SIGNAL_RULES);
	});

	it('every key becomes a rule', () => {
		expect(
			rules({
				CLUSTER_NAME: 'a',
				OTHER_CLUSTERS: 'b,c',
				CLUSTER_LABEL: 'k8s_cluster',
				TARGET_LABELS: 'game+game_namespace=agones.dev/v1/GameServer,tenant=v1/Tenant',
				EXPORTERS: 'probe',
				STATE_LABELS: 'shift',
			}),
		).toEqual({
			clusterName: 'a',
			otherClusters: ['b', 'c'],
			clusterLabel: 'k8s_cluster',
			targetLabels: [
				{ label: 'game', namespaceLabel: 'game_namespace', kind: 'GameServer', apiVersion: 'agones.dev/v1' },
				{ label: 'tenant', kind: 'Tenant', apiVersion: 'v1' },
			],
			exporters: ['probe'],
			passingLabels: ['shift'],
		});
	});

	it.each(['game', 'game=GameServer', 'game=agones.dev/v1/gameServer', '+ns=v1/Pod', 'a b=v1/Pod', 'game=v1/Pod,x'])(
		'TARGET_LABELS=%s is not allowed',
		(value) => {
			expect(load({ TARGET_LABELS: value })).toMatchObject({ problems: [expect.stringContaining('TARGET_LABELS')] });
		},
	);

	it('our own cluster cannot be one of the others', () => {
		expect(load({ CLUSTER_NAME: 'a', OTHER_CLUSTERS: 'b,a' })).toMatchObject({
			problems: [expect.stringContaining('CLUSTER_NAME and OTHER_CLUSTERS')],
		});
	});
});
