// The command where it cannot do its work: it says what to do, and ends with a code.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const CLI = join(import.meta.dirname, '..', 'src', 'cli.ts');

function images(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
	const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
		encoding: 'utf8',
		env: { ...process.env, ...env },
	});
	return { status, stdout, stderr };
}

it('without a Docker engine it says where it looked and what to install', () => {
	const { status, stderr } = images([], { DOCKER_HOST: 'unix:///nowhere/docker.sock' });
	expect(status).toBe(1);
	expect(stderr).toContain('No Docker engine answers at unix:///nowhere/docker.sock');
	expect(stderr).toContain('apt-get install docker.io');
});

it('without the docker command it says so', () => {
	const { status, stderr } = images([], { PATH: '/nowhere' });
	expect(status).toBe(1);
	expect(stderr).toContain('there is no `docker` command on PATH');
});

it.each([
	{ args: ['--push'], want: '--push needs --registry' },
	{ args: ['--local-base', '--base-image', 'x'], want: 'exclude each other' },
	{ args: ['--app', 'kitchen'], want: 'Allowed choices are gateway' },
])('$args is refused', ({ args, want }) => {
	const { status, stderr } = images(args);
	expect(status).not.toBe(0);
	expect(stderr).toContain(want);
});

it('its help names every option', () => {
	const { status, stdout } = images(['--help']);
	expect(status).toBe(0);
	for (const option of ['--tag', '--app', '--registry', '--base-image', '--local-base', '--push', '--install'])
		expect(stdout).toContain(option);
});
