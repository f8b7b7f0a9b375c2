// `npm run demo`: a storm of equal alerts on the gateway, and on the pattern that it comes from, both run for real on
// one control plane; then what orchestrators make of the storm's request and of alerts that meet on one target, how
// executors and Tekton run it, and the messages that notification services deliver about it. Every figure is measured
// in this run.

import { whenOrphaned } from '@kubernaut/workspace/orphan';
import { Command } from 'commander';
import { CleanUp } from './clean-up.ts';
import { Screen } from './screen.ts';
import { playStory } from './story.ts';

const EXIT_CODES = `
Exit codes:
  0    shown, and every promise was kept
  1    one was not, or something could not be started
  130  interrupted`;

const NEXT = [
	'npm run demo -- --keep              the same, and it stays up to look around',
	'npm run bench -- gateway            the storm in turns with the pattern, medians and targets',
	'npm run robustness -- executor      kills, pauses and an API server that restarts, while Tekton runs',
	'npm run control-plane -- up         an API server of your own, to try things out',
	'ARCHITECTURE.md                     the walk of one alert, folder by folder',
];

const { keep } = new Command('npm run demo --')
	.description(
		'Sends 100 equal alerts at once to three gateways, and to three replicas of the pattern that the gateway comes from, and shows what became of them: first the requests, then who held which target, who was blocked by whom, how each was run and ended, and last the messages that arrived at a Slack, a mail server and a webhook on loopback. It brings its own control plane, with Tekton.',
	)
	.option('--keep', 'stay up afterwards, to look around, until Ctrl-C')
	.helpOption('--help', 'this page')
	.addHelpText('after', EXIT_CODES)
	.parse()
	.opts<{ keep?: boolean }>();

const screen = new Screen(process.stdout, { colour: process.env['NO_COLOR'] === undefined });
const cleanUp = new CleanUp();
let staying = false;

function interrupt(exitCode: number): void {
	if (cleanUp.signal.aborted) return process.exit(exitCode); // a second time: the watchdog does the rest
	screen.print('', 'Stopping; what was started is being cleaned up.');
	screen.close();
	void cleanUp.end(exitCode);
}
// Not `once`: a library that takes signals too would end us in the middle of the clean-up.
process.on('SIGINT', () => interrupt(staying ? 0 : 130));
process.on('SIGTERM', () => interrupt(143));
process.on('SIGHUP', () => interrupt(129));
whenOrphaned(() => interrupt(143));
process.stdout.on('error', () => void cleanUp.end(1)); // the reader is gone

try {
	const { kept, lookAround } = await playStory(screen, cleanUp);
	screen.headline('What to try next');
	screen.print(...NEXT);
	if (keep) {
		screen.headline('Staying up; Ctrl-C ends it.');
		screen.print(...lookAround);
		staying = true;
	} else await cleanUp.end(kept ? 0 : 1);
} catch (error) {
	// What fails after the end has begun fails because of it.
	if (!cleanUp.signal.aborted) console.error(`\n${error instanceof Error ? error.message : String(error)}`);
	await cleanUp.end(1);
}
