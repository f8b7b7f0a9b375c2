// The keys about targets and identity, and the rules that they make.
import { type ConfigOf, configKey } from '../process/config-loader.ts';
import { text, textList, type Value } from '../process/config-values.ts';
import type { SignalRules, TargetLabel } from './signal-rules.ts';

/** `label=group/version/Kind`, or `label+namespaceLabel=…`; the core group is left out. */
const TARGET_LABEL =
	/^([A-Za-z_][A-Za-z0-9_]*)(?:\+([A-Za-z_][A-Za-z0-9_]*))?=((?:[a-z0-9.-]+\/)?v[a-z0-9]+)\/([A-Z][A-Za-z0-9]{0,62})$/;

const targetLabels: Value<readonly TargetLabel[]> = {
	allowed: 'one or more of label=apiVersion/Kind or label+namespace_label=apiVersion/Kind, separated by commas',
	parse(raw) {
		const labels = textList.parse(raw)?.map((entry): TargetLabel | undefined => {
			const [, label, namespaceLabel, apiVersion, kind] = TARGET_LABEL.exec(entry) ?? [];
			if (label === undefined || kind === undefined || apiVersion === undefined) return undefined;
			return { label, kind, apiVersion, ...(namespaceLabel === undefined ? {} : { namespaceLabel }) };
		});
		return labels?.every((label) => label !== undefined) ? labels : undefined;
	},
};

export const SIGNAL_CONFIG_KEYS = {
	clusterName: configKey({
		path: 'signals.cluster_name',
		env: 'CLUSTER_NAME',
		value: text,
		default: undefined,
		help: 'Name of this cluster in the cluster label. A signal that names another cluster gets no object; without this key every value of the label is an incident of its own.',
	}),
	otherClusters: configKey({
		path: 'signals.other_clusters',
		env: 'OTHER_CLUSTERS',
		value: textList,
		default: undefined,
		help: 'Names of clusters that are not ours: their signals are answered with 200 and not stored.',
	}),
	clusterLabel: configKey({
		path: 'signals.cluster_label',
		env: 'CLUSTER_LABEL',
		value: text,
		default: 'cluster',
		help: 'Label that names the cluster of an alert.',
	}),
	targetLabels: configKey({
		path: 'signals.target_labels',
		env: 'TARGET_LABELS',
		value: targetLabels,
		default: undefined,
		help: 'Further labels that name an object, before the built-in ones: game+game_namespace=agones.dev/v1/GameServer.',
	}),
	exporters: configKey({
		path: 'signals.exporters',
		env: 'EXPORTERS',
		value: textList,
		default: undefined,
		help: 'Parts of the names of pods, Services and jobs that measure others, beside the built-in ones: they are never the target of what they measure.',
	}),
	stateLabels: configKey({
		path: 'signals.state_labels',
		env: 'STATE_LABELS',
		value: textList,
		default: undefined,
		help: 'Further labels of state or routing: an alert without an object is the same incident when they change.',
	}),
} as const;

export type SignalConfig = ConfigOf<typeof SIGNAL_CONFIG_KEYS>;

export function signalRules(config: SignalConfig): SignalRules {
	return {
		...(config.clusterName === undefined ? {} : { clusterName: config.clusterName }),
		otherClusters: config.otherClusters ?? [],
		clusterLabel: config.clusterLabel,
		targetLabels: config.targetLabels ?? [],
		exporters: config.exporters ?? [],
		passingLabels: config.stateLabels ?? [],
	};
}

export function impossibleSignalRelations({ clusterName, otherClusters = [] }: SignalConfig): string[] {
	return clusterName !== undefined && otherClusters.includes(clusterName)
		? [
				`CLUSTER_NAME and OTHER_CLUSTERS both name ${clusterName}: remove it from OTHER_CLUSTERS, or our own signals are lost`,
			]
		: [];
}
