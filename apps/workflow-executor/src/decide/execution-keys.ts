// The configuration keys of what is run, where, and as whom.
import { configKey } from '../process/config-loader.ts';
import { duration, durationAboveZero, oneOf, text, textList, wholeNumber } from '../process/config-values.ts';

export const EXECUTION_KEYS = {
	executionNamespace: configKey({
		path: 'execution.namespace',
		env: 'EXECUTION_NAMESPACE',
		value: text,
		default: 'kubernaut-workflows',
		help: 'Namespace of the PipelineRuns. The Role and RoleBinding in it must exist.',
	}),
	serviceAccount: configKey({
		path: 'execution.service_account',
		env: 'EXECUTION_SERVICE_ACCOUNT',
		value: text,
		default: 'kubernaut-workflow',
		help: 'ServiceAccount of a run whose workflow names none.',
	}),
	serviceAccounts: configKey({
		path: 'execution.service_accounts',
		env: 'EXECUTION_SERVICE_ACCOUNTS',
		value: textList,
		default: undefined,
		help: 'ServiceAccounts that workflows may name; only EXECUTION_SERVICE_ACCOUNT when absent.',
	}),
	allowPipelineSpec: configKey({
		path: 'execution.allow_pipeline_spec',
		env: 'EXECUTION_ALLOW_PIPELINE_SPEC',
		value: oneOf('on', 'off'),
		default: 'off',
		help: 'Whether a workflow may embed its pipeline instead of naming a Pipeline of the execution namespace.',
	}),
	bundleRegistries: configKey({
		path: 'execution.bundle_registries',
		env: 'EXECUTION_BUNDLE_REGISTRIES',
		value: textList,
		default: undefined,
		help: 'Registries, or paths in them, that Tekton bundles may come from; none when absent. A bundle is named by its digest.',
	}),
	cooldownMs: configKey({
		path: 'resource_locking.cooldown_period',
		env: 'RESOURCE_LOCKING_COOLDOWN_PERIOD',
		value: duration,
		default: '5m',
		help: 'Cooldown of a target after a run, unless its WorkflowExecution sets one.',
	}),
	orphanAfterMs: configKey({
		path: 'run.orphan_after',
		env: 'RUN_ORPHAN_AFTER',
		value: durationAboveZero,
		default: '1h',
		help: 'A run that is not needed any more and whose pods do not end for this long is abandoned: its target is given free.',
	}),
	turnMs: configKey({
		path: 'controller.turn',
		env: 'CONTROLLER_TURN',
		value: duration,
		default: '250ms',
		help: 'Replicas take turns at a target; the next one steps in this long after the one before.',
	}),
	concurrency: configKey({
		path: 'controller.concurrency',
		env: 'CONTROLLER_CONCURRENCY',
		value: wholeNumber(1, 1000),
		default: '16',
		help: 'Maximum number of targets reconciled at once.',
	}),
} as const;
