import { configKey } from '../process/config-loader.ts';
import { text } from '../process/config-values.ts';

export const ROUTING_KEYS = {
	routingFile: configKey({
		path: 'routing.file',
		env: 'ROUTING_FILE',
		value: text,
		default: undefined,
		help: 'Mounted routing.yaml, read again when it changes; without it, messages that name no channels go to log.',
	}),
} as const;
