// Parts beside the control plane, run for real: found or built in the user's cache, run in one of our own.
import { existsSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import { obtainPart, type PartName, type RunningPart, type StartPartOptions, startPart } from '../src/index.ts';
import { processesNaming, removeWithProcesses, temporaryDirectory } from './scripts.ts';

export const BUILD_LIMIT_MS = 1_800_000;

export const cache = temporaryDirectory();
const environment: NodeJS.ProcessEnv = { ...process.env, KUBERNAUT_CACHE_DIR: cache };
afterAll(() => removeWithProcesses(cache));

export async function start(name: PartName, options: StartPartOptions = {}): Promise<RunningPart> {
	return startPart(name, { binary: await obtainPart(name), environment, ...options });
}

export async function json(url: string, init?: RequestInit): Promise<Record<string, unknown>> {
	const answer = await fetch(url, init);
	return { status: answer.status, body: await answer.json() };
}

export async function expectStopped(part: RunningPart): Promise<void> {
	await part.stop();
	expect(existsSync(part.directory)).toBe(false);
	await expect.poll(() => processesNaming(part.directory)).toEqual([]);
}
