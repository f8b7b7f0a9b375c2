import { configKey } from '../process/config-loader.ts';
import { text } from '../process/config-values.ts';
import { routingProblem } from './routing.ts';
import type { MissingKey } from './routing-rules.ts';

export const ROUTING_KEYS = {
	routingFile: configKey({
		path: 'routing.file',
		env: 'ROUTING_FILE',
		value: text,
		default: undefined,
		help: 'Mounted routing.yaml, read again when it changes; without it, messages that name no channels go to log.',
	}),
} as const;

/** A file that cannot be used refuses the start; later it is only reported. */
export function impossibleRouting(
	{ routingFile }: { readonly routingFile: string | undefined },
	missingKey: MissingKey,
): string[] {
	const problem = routingFile === undefined ? undefined : routingProblem(routingFile, missingKey);
	return problem === undefined ? [] : [`ROUTING_FILE: ${problem}`];
}
