// Runs this app until a signal stops it.
import { CONFIG_KEYS, loadAppConfig } from './config.ts';
import { connectKube } from './kube/connect-kube.ts';
import { createMetrics } from './metrics.ts';
import { runApp } from './process/run-app.ts';

await runApp({ configKeys: CONFIG_KEYS, loadConfig: loadAppConfig, createMetrics, connect: connectKube });
