// Ten gateways count one hot incident at full speed: the orchestrator's own writes to the same status are done all the same,
// and no caller is turned away.
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { countOf, putWorkflow, requestsAbout } from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import type { Platform } from '../harness/platform.ts';
import { openSender, type Sender, startLoad } from '../harness/sending.ts';
import { TIMEOUTS } from '../harness/timeouts.ts';

const GATEWAYS = 10;
const CALLERS = 100;
const SIGNAL = { alertname: 'KubeDeploymentReplicasMismatch', deployment: 'hot' };

describe('an incident that ten gateways count', () => {
	let platform: Platform;
	let sender: Sender;
	beforeAll(async () => {
		platform = await openPlatform({ apps: ['gateway', 'orchestrator', 'workflow-executor'] });
		await platform.scale('gateway', GATEWAYS);
		sender = await openSender(platform);
		return async () => {
			await sender.close();
			await platform.scale('gateway', 3);
		};
	});

	it('is repaired meanwhile, and every signal is counted once', async () => {
		const load = startLoad(sender, CALLERS, () => SIGNAL);
		try {
			const first = async () => (await requestsAbout(platform, SIGNAL.deployment))[0]?.['status'];
			await eventually(first, (status) => expect(status?.blockReason).toBe('NoWorkflow'));
			await platform.putPipeline('restart', { seconds: 1 });
			await putWorkflow(platform, 'restart', [SIGNAL.alertname], { cooldown: '1h' });
			await eventually(first, (status) => expect(status?.overallPhase).toBe('Completed'));
			await delay(1000);
		} finally {
			await load.stop();
		}
		expect(load.sent.filter(({ status, tries }) => status > 202 || tries > 1)).toEqual([]);
		await eventually(
			() => requestsAbout(platform, SIGNAL.deployment),
			(requests) => expect(countOf(requests)).toBe(load.sent.length),
			TIMEOUTS.settledMs,
		);
	});
});
