import { KubeApi, startControlPlane } from '@kubernaut/control-plane';
import { appBundle } from '@kubernaut/testkit/app-process';
import { applyCrds } from '@kubernaut/testkit/apply';
import { measureFinishing } from './orchestrator/finishing.ts';
import { openOrchestra } from './orchestrator/orchestra.ts';
import { measurePausing } from './orchestrator/pausing.ts';
import { measureRefused } from './orchestrator/refused.ts';
import { toTable } from './result.ts';
const report = (text: string) => console.log(text);
const controlPlane = await startControlPlane({ auditLog: true });
const api = KubeApi.fromFile(controlPlane.kubeconfigPath, 'kubernaut-bench');
await applyCrds(api);
await appBundle('orchestrator');
const stage = { api, auditLog: controlPlane.auditLog!, adminKubeconfig: controlPlane.kubeconfigPath };
const opened: { stop(): Promise<void> }[] = [];
const open = async (namespace: string, replicas: number) => {
	const orchestra = await openOrchestra(api, namespace, controlPlane.kubeconfigPath);
	opened.push(orchestra);
	await orchestra.start(replicas);
	return orchestra;
};
try {
	const which = process.argv.slice(2);
	for (const [name, measure] of Object.entries({ measureFinishing, measureRefused, measurePausing }))
		if (which.length === 0 || which.includes(name)) console.log(toTable(await measure(stage, open, report)));
} finally {
	for (const one of opened) await one.stop();
	await api.close();
	await controlPlane.stop();
}
process.exit(0);
