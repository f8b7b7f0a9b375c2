// Puts the gateway together and runs it until a signal stops it.
import { CONFIG_KEYS, loadAppConfig } from './config.ts';
import { lockLog } from './distributed-lock.ts';
import { createGateway } from './gateway.ts';
import { watchForSilence } from './guard/api-silence.ts';
import { apiAddress } from './guard/auth-config.ts';
import { logHttp } from './http/http-observer.ts';
import { createSignalApi } from './http/signal-api.ts';
import { connectKube } from './kube/connect-kube.ts';
import { logSync } from './kube/list-watch.ts';
import { createMetrics } from './metrics.ts';
import { allOf } from './process/all-observers.ts';
import { runApp } from './process/run-app.ts';
import { signalRules } from './signal/signal-config.ts';

await runApp({
	configKeys: CONFIG_KEYS,
	loadConfig: loadAppConfig,
	createMetrics,
	connect: connectKube,
	async start({ config, identity, log, metrics, connection: { kube, clock }, isDraining }) {
		const requestNamespace = config.resourceNamespace ?? identity.podNamespace;
		const silence = watchForSilence(kube, config.requestTimeoutMs, clock);
		const gateway = createGateway({
			kube: silence.kube,
			clock,
			podName: identity.podName,
			lockNamespace: identity.podNamespace,
			requestNamespace,
			leaseDurationMs: config.leaseDurationMs,
			requestTimeoutMs: config.requestTimeoutMs,
			lockObserver: allOf(metrics.lock, lockLog(log)),
			retryObserver: metrics.retry,
			workObserver: metrics.work,
			lookUpObserver: metrics.lookUp,
			onSync: logSync(log),
		});
		const signalApi = await createSignalApi({
			config,
			rules: signalRules(config),
			kube,
			namespace: requestNamespace,
			ingest: gateway.ingest,
			explain: gateway.explain,
			backlogMs: gateway.backlogMs,
			clock,
			observer: allOf(metrics.http, logHttp(log)),
			isDraining,
			onSilence: silence.onSilence,
		});
		return {
			checks: [gateway.check, gateway.lookUpCheck, signalApi.check],
			stopSteps: [
				{ name: 'signals in work', run: () => signalApi.close() },
				{ name: 'locks', run: () => gateway.stop(config.requestTimeoutMs) },
			],
			listeners: [{ key: 'API_PORT', port: config.apiPort, host: apiAddress(config), listen: signalApi.listen }],
		};
	},
});
