import { describe, expect, it } from 'vitest';
import { parseCommandLine } from './command-line.ts';
import { configKey } from './config-loader.ts';
import { oneOf, port, text } from './config-values.ts';

const KEYS = {
	healthPort: configKey({ path: 'server.port', env: 'HEALTH_PORT', value: port, default: '8081', help: 'Port.' }),
	auth: configKey({ path: 'server.auth', env: 'AUTH', value: oneOf('on', 'off'), default: 'on', help: 'Auth.' }),
	name: configKey({ path: 'name', env: 'NAME', value: text, default: undefined, help: 'Name.' }),
};

describe('parseCommandLine', () => {
	it.each([
		{ args: [], want: { configFile: undefined, settings: {} } },
		{ args: ['--config', 'x.yaml'], want: { configFile: 'x.yaml', settings: {} } },
		{ args: ['--auth=off'], want: { configFile: undefined, settings: { AUTH: 'off' } } },
		{ args: ['--auth', 'off'], want: { configFile: undefined, settings: { AUTH: 'off' } } },
		{ args: ['--health-port=2048', '--config=y'], want: { configFile: 'y', settings: { HEALTH_PORT: '2048' } } },
	])('reads $args', ({ args, want }) => {
		expect(parseCommandLine(args, KEYS)).toEqual(want);
	});

	it.each([['--verbose'], ['--auth'], ['off'], ['--AUTH=off']])('rejects %s with code 2', (...args) => {
		expect(parseCommandLine(args, KEYS)).toMatchObject({ exitCode: 2, print: expect.stringContaining('--help') });
	});

	it('lists every key with its default under --help', () => {
		const parsed = parseCommandLine(['--help'], KEYS);
		if (!('print' in parsed)) throw new Error('help is printed');
		expect(parsed.exitCode).toBe(0);
		const lines = parsed.print.split('\n').map((line) => line.trim().split(/ {2,}/));
		for (const { env, path, default: value = '(none)' } of Object.values(KEYS))
			expect(lines).toContainEqual([env, path, value, expect.any(String)]);
	});
});
