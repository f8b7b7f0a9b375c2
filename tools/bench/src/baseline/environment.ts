// The settings of a replica of the baseline, on their way through the environment of its process.

export type BaselineSettings = {
	readonly port: number;
	readonly kubeconfig: string;
	readonly namespace: string;
	readonly podName: string;
	readonly userAgent: string;
	readonly countAfterWait: boolean;
};

const NAME = 'BASELINE_SETTINGS';

export function baselineEnvironment(settings: BaselineSettings): Record<string, string> {
	return { [NAME]: JSON.stringify(settings) };
}

export function readBaselineEnvironment(environment: NodeJS.ProcessEnv): BaselineSettings {
	const text = environment[NAME];
	if (text === undefined) throw new Error(`${NAME} is not set: start-baseline-gateway.ts starts this program`);
	return JSON.parse(text) as BaselineSettings;
}
