// What a person needs to find out why a scenario failed: objects, Events, logs and metrics of every replica, and a timeline of
// all of them, in a directory of its own.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@kubernaut/control-plane';
import { APPS } from '@kubernaut/testkit';
import { leasesPath, objectsPath, runsPath } from '../objects.ts';
import type { Platform } from '../platform.ts';

type Moment = { readonly at: string; readonly what: string };

const OBJECTS = ['remediationrequests', 'workflowexecutions', 'notificationrequests', 'remediationworkflows'] as const;

export async function collect(platform: Platform, directory: string): Promise<void> {
	rmSync(directory, { recursive: true, force: true }); // of an earlier run
	mkdirSync(directory, { recursive: true });
	const { namespace, executionNamespace, api } = platform;
	const paths: Record<string, string> = {
		...Object.fromEntries(OBJECTS.map((plural) => [plural, objectsPath(platform, plural)])),
		leases: leasesPath(platform),
		pipelineruns: runsPath(platform),
		taskruns: runsPath(platform).replace('pipelineruns', 'taskruns'),
		pods: `/api/v1/namespaces/${namespace}/pods`,
		'pods-of-runs': `/api/v1/namespaces/${executionNamespace}/pods`,
		events: `/api/v1/namespaces/${namespace}/events`,
		'events-of-runs': `/api/v1/namespaces/${executionNamespace}/events`,
	};
	const moments: Moment[] = [];
	for (const [name, path] of Object.entries(paths)) {
		const { body } = await api.send('GET', path).catch((error: Error) => ({ body: { message: error.message } }));
		writeFileSync(join(directory, `${name}.json`), JSON.stringify(body, null, '\t'));
		for (const object of ((body as KubeObject)['items'] ?? []) as KubeObject[])
			moments.push(...momentsOf(name, object));
	}
	for (const app of APPS)
		for (const replica of await platform.replicas(app).catch(() => [])) {
			const log = await replica.log().catch((error: Error) => [error.message]);
			writeFileSync(join(directory, `${replica.name}.log`), log.join('\n'));
			moments.push(...log.flatMap((line) => momentOfLine(replica.name, line)));
			const metrics = await replica.metrics().catch((error: Error) => error.message);
			writeFileSync(join(directory, `${replica.name}.metrics`), metrics);
		}
	const timeline = moments.toSorted((one, other) => (one.at < other.at ? -1 : 1));
	writeFileSync(join(directory, 'timeline.txt'), timeline.map(({ at, what }) => `${at}  ${what}`).join('\n'));
}

function momentsOf(kind: string, { metadata, status, ...object }: KubeObject): Moment[] {
	const name = `${kind}/${metadata.name}`;
	if (kind.startsWith('events')) {
		const at = object['eventTime'] ?? object['lastTimestamp'] ?? metadata.creationTimestamp;
		const about = `${object['involvedObject']?.kind}/${object['involvedObject']?.name}`;
		return [{ at, what: `Event ${about}: ${object['reason']} ${object['message'] ?? ''}` }];
	}
	const conditions = (status?.conditions ?? []) as KubeObject[];
	return [
		{ at: metadata.creationTimestamp as string, what: `${name} created` },
		...conditions.map(({ lastTransitionTime, type, status: state, reason, message }) => ({
			at: lastTransitionTime as string,
			what: `${name}: ${type}=${state} ${reason ?? ''} ${message ?? ''}`,
		})),
	].filter(({ at }) => typeof at === 'string');
}

/** The apps log JSON lines with a time in ms or as text. */
function momentOfLine(replica: string, line: string): Moment[] {
	try {
		const { time, msg, level, ...fields } = JSON.parse(line) as Record<string, unknown>;
		const at = typeof time === 'number' ? new Date(time).toISOString() : String(time);
		return [{ at, what: `${replica} ${String(level)} ${String(msg)} ${JSON.stringify(fields)}` }];
	} catch {
		return [];
	}
}
