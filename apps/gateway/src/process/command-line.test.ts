import { describe, expect, it } from 'vitest';
import { CONFIG_KEYS, loadAppConfig } from '../config.ts';
import { parseCommandLine } from './command-line.ts';

describe('parseCommandLine', () => {
	it.each([
		{ args: [], want: { configFile: undefined, settings: {} } },
		{ args: ['--config', 'x.yaml'], want: { configFile: 'x.yaml', settings: {} } },
		{ args: ['--auth=off'], want: { configFile: undefined, settings: { AUTH: 'off' } } },
		{ args: ['--auth', 'off'], want: { configFile: undefined, settings: { AUTH: 'off' } } },
		{
			args: ['--max-body-bytes=2048', '--config=y'],
			want: { configFile: 'y', settings: { MAX_BODY_BYTES: '2048' } },
		},
	])('reads $args', ({ args, want }) => {
		expect(parseCommandLine(args)).toEqual(want);
	});

	it.each([['--verbose'], ['--auth'], ['off'], ['--AUTH=off']])('refuses %s with code 2', (...args) => {
		expect(parseCommandLine(args)).toMatchObject({ exitCode: 2, print: expect.stringContaining('--help') });
	});

	it('lists every key with its default under --help', () => {
		const parsed = parseCommandLine(['--help']);
		if (!('print' in parsed)) throw new Error('help is printed');
		expect(parsed.exitCode).toBe(0);
		const lines = parsed.print.split('\n').map((line) => line.trim().split(/ {2,}/));
		for (const { env, path, default: value = '(none)' } of Object.values(CONFIG_KEYS))
			expect(lines).toContainEqual([env, path, value, expect.any(String)]);
	});

	it('has no flag that two keys share', () => {
		const flags = Object.values(CONFIG_KEYS).map(({ env }) => env.toLowerCase().replaceAll('_', '-'));
		expect(new Set([...flags, 'config', 'help']).size).toBe(flags.length + 2);
	});
});

describe('--auth=off', () => {
	const { settings } = parseCommandLine(['--auth=off']) as { settings: Record<string, string> };

	it('wins over the environment', () => {
		expect(loadAppConfig(undefined, { AUTH: 'on', ...settings })).toMatchObject({ config: { auth: 'off' } });
	});

	it('is refused in a cluster', () => {
		expect(loadAppConfig(undefined, { KUBERNETES_SERVICE_HOST: '10.0.0.1', ...settings })).toEqual({
			problems: [expect.stringContaining('AUTH is off in a cluster')],
		});
	});
});
