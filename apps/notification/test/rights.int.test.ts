// With the rights of its manifests, and less each one of them: with locking, which needs the most.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atTheEnd, describeRights } from '@kubernaut/testkit';
import { World } from './harness/world.ts';

/** A receiver that is not there: what is sent to it fails for good, and an Event says so. */
function nowhere(): string {
	const directory = mkdtempSync(join(tmpdir(), 'notification-rights-'));
	atTheEnd(() => rmSync(directory, { recursive: true }));
	const file = join(directory, 'slack-webhook-url');
	writeFileSync(file, 'https://127.0.0.1:1/services/none');
	return file;
}

describeRights('notification', {
	env: () => ({
		USE_DISTRIBUTED_LOCKING: 'true',
		SLACK_WEBHOOK_URL_FILE: nowhere(),
		TARGETS_ALLOWED_NETWORKS: '127.0.0.0/8',
	}),
	drive: async ({ api, namespace, kubeconfig }) => {
		const world = new World(api, namespace, kubeconfig, {});
		await world.until(await world.create({ channels: ['log'] }), 'Sent');
		await world.until(await world.create({ channels: ['slack'], retryPolicy: { maxAttempts: 1 } }), 'Failed');
	},
});
