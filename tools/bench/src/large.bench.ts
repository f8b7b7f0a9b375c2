// Gateway and orchestrator on a store that is full of large requests: 10,000 of 32 KiB, and 500 of the largest there are.
import { KubeApi, startControlPlane } from '@kubernaut/control-plane';
import { appBundle } from '@kubernaut/testkit/app-process';
import { applyCrds } from '@kubernaut/testkit/apply';
import { describeLarge, fill, LARGEST, type LargeFigures, measureLarge, OF_32_KIB } from './gateway/large-stock.ts';
import type { Result } from './result.ts';

type Report = (text: string) => void;

const APPS = ['gateway', 'orchestrator'] as const;

export async function benchLarge(report: Report): Promise<Result[]> {
	await Promise.all(APPS.map(appBundle));
	const results: Result[] = [];
	for (const stock of [OF_32_KIB, LARGEST]) {
		// One for each: a restart reads the whole store.
		const controlPlane = await startControlPlane();
		const api = KubeApi.fromFile(controlPlane.kubeconfigPath, 'kubernaut-bench');
		try {
			await applyCrds(api);
			report(`storing ${stock.count} requests, ${stock.name}`);
			const namespace = 'large';
			await fill(api, namespace, stock);
			const figures = await measureLarge(controlPlane, api, APPS, namespace, stock);
			for (const each of figures) report(`  ${describeLarge(each)}`);
			results.push(...figures.flatMap((each) => resultsOf(stock.name, each)));
		} finally {
			await api.close();
			await controlPlane.stop();
		}
	}
	return results;
}

function resultsOf(stock: string, { app, ready, readyMs, survivedRestart, peakMb }: LargeFigures): Result[] {
	const name = `large.${stock}.${app}`;
	return [
		{ name: `${name}.ready`, value: Number(ready), unit: '', target: { exactly: 1 } },
		{ name: `${name}.listedAgain`, value: Number(survivedRestart), unit: '', target: { exactly: 1 } },
		{ name: `${name}.readyMs`, value: readyMs, unit: 'ms' },
		{ name: `${name}.peak`, value: peakMb, unit: 'MB' },
	];
}
