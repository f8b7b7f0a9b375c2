import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { configKey, describeKeys, loadConfig } from './config-loader.ts';
import { duration, port, text } from './config-values.ts';

const directory = mkdtempSync(join(tmpdir(), 'kubernaut-config-'));
afterAll(() => rmSync(directory, { recursive: true }));

const KEYS = {
	port: configKey({ path: 'server.port', env: 'PORT', value: port, default: '80', help: 'Port.' }),
	waitMs: configKey({ path: 'server.wait', env: 'WAIT', value: duration, default: '1s', help: 'Wait.' }),
	name: configKey({ path: 'name', env: 'NAME', value: text, default: undefined, help: 'Name.' }),
};

function file(content: string): string {
	const path = join(directory, `${Math.random()}.yaml`);
	writeFileSync(path, content);
	return path;
}

describe('loadConfig', () => {
	it('a key that is not set has its default, or is absent when it has none', () => {
		expect(loadConfig(KEYS, undefined, {})).toEqual({ config: { port: 80, waitMs: 1000 } });
	});

	it('the file takes precedence over the default, and the environment over the file', () => {
		const path = file('server:\n  port: 81\n  wait: 2s\nname: from-file\n');
		const want = { config: { port: 81, waitMs: 3000, name: 'from-file' } };
		expect(loadConfig(KEYS, path, { WAIT: '3s' })).toEqual(want);
	});

	it('reports all problems together, with the key, the value and what is allowed', () => {
		const path = file('server:\n  port: high\n  prot: 1\n');
		expect(loadConfig(KEYS, path, { WAIT: '3' })).toEqual({
			problems: [
				`server.prot (in ${path}): there is no such key; --help lists them`,
				`server.port (in ${path}): "high" is not a port, 1 to 65535`,
				'WAIT: "3" is not a duration like 250ms, 30s, 5m or 1h, at most 576h',
			],
		});
	});

	it.each([
		{ what: 'an empty file', content: '', want: { config: { port: 80, waitMs: 1000 } } },
		{ what: 'only a comment', content: '# nothing\n', want: { config: { port: 80, waitMs: 1000 } } },
		{
			what: 'a section with all its keys commented out',
			content: 'server:\n  # port: 81\n',
			want: { config: { port: 80, waitMs: 1000 } },
		},
		{ what: 'a section with nothing in it', content: 'server: {}\n', want: { config: { port: 80, waitMs: 1000 } } },
		{
			what: 'an unknown section with nothing in it',
			content: 'sever: {}\n',
			want: { problems: [expect.stringContaining('sever (in')] },
		},
		{
			what: 'a list where keys belong',
			content: '- a\n',
			want: { problems: [expect.stringContaining('no such key')] },
		},
		{ what: 'no YAML at all', content: 'a: [', want: { problems: [expect.stringContaining('.yaml')] } },
		{
			what: 'a key that stops too early',
			content: 'server: 5\n',
			want: { problems: [expect.stringContaining('server (in')] },
		},
	])('answers $what', ({ content, want }) => {
		expect(loadConfig(KEYS, file(content), {})).toEqual(want);
	});

	it('an empty environment variable is a wrong value, not an absent one', () => {
		expect(loadConfig(KEYS, undefined, { PORT: '' })).toEqual({ problems: ['PORT: "" is not a port, 1 to 65535'] });
	});
});

describe('impossible relations', () => {
	const waitsOnEven = ({ port: number, waitMs }: { port: number; waitMs: number }) =>
		number % 2 === 0 && waitMs > 1000 ? ['an even port cannot wait'] : [];

	it('are problems', () => {
		expect(loadConfig(KEYS, undefined, { WAIT: '2s' }, waitsOnEven)).toEqual({
			problems: ['an even port cannot wait'],
		});
		expect(loadConfig(KEYS, undefined, { WAIT: '2s', PORT: '81' }, waitsOnEven)).toMatchObject({
			config: { port: 81 },
		});
	});

	it('are not checked while a value is wrong by itself', () => {
		expect(loadConfig(KEYS, undefined, { PORT: 'x', WAIT: '2s' }, waitsOnEven)).toEqual({
			problems: [expect.stringContaining('PORT')],
		});
	});
});

describe('describeKeys', () => {
	it('has a line for each key with its default and what is allowed', () => {
		const lines = describeKeys(KEYS).split('\n');
		expect(lines).toHaveLength(4);
		expect(lines[1]).toMatch(/PORT +server\.port +80 +Port\. Allowed: a port/);
		expect(lines[3]).toMatch(/NAME +name +\(none\)/);
	});
});
