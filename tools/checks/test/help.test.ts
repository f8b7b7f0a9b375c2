import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

describe.each([
	{ script: 'checks.ts', command: 'npm test' },
	{ script: 'verify.ts', command: 'npm run verify' },
	{ script: 'generate.ts', command: 'npm run generate' },
	{ script: 'robustness.ts', command: 'npm run robustness' },
	{ script: 'default-rules.ts', command: 'npm run default-rules' },
	{ script: 'coverage.ts', command: 'npm run coverage' },
])('$command', ({ script, command }) => {
	const run = (...args: string[]) =>
		spawnSync(process.execPath, [join(import.meta.dirname, '..', 'src', script), ...args], {
			cwd: tmpdir(), // where it could do nothing at all
			encoding: 'utf8',
		});

	it('explains itself and does nothing else', () => {
		const { status, stdout, stderr } = run('--help');
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
		expect(stdout.startsWith(`Usage: ${command} --`)).toBe(true);
	});

	it('refuses an option that it does not have', () => {
		expect(run('--fsat')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining("'--fsat'") });
	});
});
