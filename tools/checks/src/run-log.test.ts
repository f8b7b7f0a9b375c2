import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRunLog } from './run-log.ts';

let root: string;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'run-log-'));
});
afterEach(() => rmSync(root, { recursive: true }));

it('each line names its task; what turbo says has no name', () => {
	const log = openRunLog(root);
	log.write({ of: { package: 'gateway', task: 'test' }, text: 'ok' });
	log.write({ of: undefined, text: 'Tasks: 1 successful' });
	log.close();
	expect(readFileSync(join(root, log.path), 'utf8')).toBe('gateway test: ok\nTasks: 1 successful\n');
});

it('the logs of the last five runs are kept', () => {
	for (let run = 0; run < 7; run++) openRunLog(root, new Date(run * 1000)).close();
	const seconds = readdirSync(join(root, 'test-results')).map((name) => /T00-00-0(\d)/.exec(name)?.[1]);
	expect(seconds).toEqual(['2', '3', '4', '5', '6']);
});
