// `pnpm bench <name> [--json FILE]`: prints a table; a run that misses a target says so and exits with 1.
import { writeFileSync } from 'node:fs';
import { Argument, Command } from 'commander';
import { benchControlPlane } from './control-plane.bench.ts';
import { benchExecutor } from './executor.bench.ts';
import { benchGateway } from './gateway.bench.ts';
import { benchGatewayVersions } from './gateway-versions.bench.ts';
import { benchLarge } from './large.bench.ts';
import { benchNotification } from './notification.bench.ts';
import { benchOrchestrator } from './orchestrator.bench.ts';
import { benchReplicas } from './replicas.bench.ts';
import { passes, type Result, toJson, toTable } from './result.ts';

const BENCHES: Readonly<Record<string, (report: (text: string) => void, other: string) => Promise<Result[]>>> = {
	'control-plane': benchControlPlane,
	executor: benchExecutor,
	gateway: benchGateway,
	'gateway-versions': benchGatewayVersions,
	large: benchLarge,
	notification: benchNotification,
	orchestrator: benchOrchestrator,
	replicas: benchReplicas,
};

const program = new Command('npm run bench --')
	.description('Measures on this machine, in one run; figures are for comparison, machines are noisy.')
	.addArgument(new Argument('<name>', 'what to measure').choices(Object.keys(BENCHES)))
	.option('--json <file>', 'write the results there as well')
	.option('--other <bundle>', 'of gateway-versions: dist/main.mjs of the gateway that ours is compared with')
	.helpOption('--help', 'this page')
	.action(async (name: string, options: { json?: string; other?: string }) => {
		if ((name === 'gateway-versions') !== (options.other !== undefined))
			program.error('gateway-versions, and it alone, needs --other <bundle>');
		const bench = BENCHES[name];
		if (bench === undefined) throw new Error(`there is no bench ${name}`);
		const results = await bench((text) => console.error(text), options.other ?? '');
		console.log(toTable(results));
		if (options.json !== undefined) writeFileSync(options.json, toJson(results));
		const missed = results.filter((result) => !passes(result)).map((result) => result.name);
		if (missed.length > 0) {
			console.error(`Missed: ${missed.join(', ')}`);
			process.exitCode = 1;
		}
	});
process.once('SIGINT', () => process.exit(130)); // what runs ends with us
await program.parseAsync();
