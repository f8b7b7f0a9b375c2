// Replicas that are replaced, added and taken away, and an API server that is restarted, all under load: every signal is taken
// and counted, every incident is one request, and a rolling restart is never without two ready replicas of three.
import { setTimeout as delay } from 'node:timers/promises';
import { APPS } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { countOf, list, requestsAbout } from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import type { Platform } from '../harness/platform.ts';
import { openSender, type Sender, startLoad } from '../harness/sending.ts';
import { TIMEOUTS } from '../harness/timeouts.ts';

const CALLERS = 12;
const INCIDENTS = 6;

describe('under load', () => {
	let platform: Platform;
	let sender: Sender;
	let round = 0;
	beforeAll(async () => {
		platform = await openPlatform({ apps: APPS });
		sender = await openSender(platform);
		return () => sender.close();
	});

	/** What every change must leave: nothing lost, one request per incident. */
	async function withLoad(change: () => Promise<void>): Promise<void> {
		const prefix = `round-${round++}`;
		const load = startLoad(sender, CALLERS, (count) => ({
			alertname: 'KubePodCrashLooping',
			deployment: `${prefix}-${count % INCIDENTS}`,
		}));
		try {
			await change();
			await delay(1000); // and a while after it
		} finally {
			await load.stop();
		}
		expect(load.sent.filter(({ status }) => status !== 201 && status !== 202)).toEqual([]);
		for (let i = 0; i < INCIDENTS; i++) expect(await requestsAbout(platform, `${prefix}-${i}`)).toHaveLength(1);
		const ofRound = async () =>
			(await list(platform, 'remediationrequests')).filter(({ spec }) => spec.targetResource.name.startsWith(prefix));
		// A sender that got no answer sends again, and its signal may be counted twice; never less than once.
		const resent = load.sent.reduce((sum, { tries }) => sum + tries - 1, 0);
		await eventually(
			ofRound,
			(requests) => {
				expect(countOf(requests)).toBeGreaterThanOrEqual(load.sent.length);
				expect(countOf(requests)).toBeLessThanOrEqual(load.sent.length + resent);
			},
			TIMEOUTS.settledMs,
		);
		console.info(`${load.sent.length} signals, ${resent} sent again`);
	}

	it('a rolling restart of the gateways turns no sender away, and two of three are ready at every moment', async () => {
		const ready: number[] = [];
		const restarted = new AbortController();
		const looking = (async () => {
			while (!restarted.signal.aborted) {
				const replicas = await platform.replicas('gateway').catch(() => []);
				const seen = await Promise.all(replicas.map((replica) => replica.isReady().catch(() => false)));
				if (seen.length > 0) ready.push(seen.filter(Boolean).length);
				await delay(TIMEOUTS.lookMs);
			}
		})();
		try {
			await withLoad(() => platform.rollingRestart('gateway'));
		} finally {
			restarted.abort();
			await looking;
		}
		expect(Math.min(...ready)).toBeGreaterThanOrEqual(2);
	});

	it('gateways that are scaled from 3 to 10 to 2 lose nothing', async () => {
		await withLoad(async () => {
			await platform.scale('gateway', 10);
			await platform.scale('gateway', 2);
		});
		expect(await platform.replicas('gateway')).toHaveLength(2);
		await platform.scale('gateway', 3);
	});

	it('an API server that is killed and comes back loses nothing', async () => {
		const { restartApiServer } = platform;
		if (restartApiServer === undefined)
			return console.info('Left out: the API server of this cluster is not ours to kill.');
		await withLoad(restartApiServer);
		for (const app of APPS)
			await eventually(
				async () => Promise.all((await platform.replicas(app)).map((replica) => replica.isReady())),
				(ready) => expect(ready, app).toEqual([true, true, true]),
				TIMEOUTS.allReplicasReadyMs,
			);
	});
});
