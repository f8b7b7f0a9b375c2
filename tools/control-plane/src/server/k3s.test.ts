// With a stand-in for the Docker engine. That k3s comes up can only be seen where a real one runs.
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeWithProcesses, startCli, temporaryDirectory } from '../../test/scripts.ts';

type Pull = 'hangs' | 'is refused';

let directory: string;
let engine: Server;
let asked: string[];
beforeEach(() => {
	directory = temporaryDirectory();
	asked = [];
});
afterEach(() => {
	engine.closeAllConnections();
	engine.close();
	removeWithProcesses(directory);
});

/** An environment without Go and binaries, and with an engine that has no image. */
async function environmentWithEngine(pull: Pull): Promise<NodeJS.ProcessEnv> {
	engine = createServer((request, response) => {
		const path = request.url?.split('?')[0] ?? '';
		asked.push(`${request.method} ${path}`);
		response.setHeader('content-type', 'application/json');
		if (path === '/info') return response.end(JSON.stringify({ ServerVersion: '28', OperatingSystem: 'test' }));
		if (path === '/images/create' && pull === 'hangs') return response.write('{"status":"Pulling"}\n');
		response.statusCode = 404;
		return response.end(JSON.stringify({ message: 'No such image' }));
	});
	await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
	const { port } = engine.address() as { port: number };
	return {
		PATH: directory,
		HOME: directory,
		KUBERNAUT_CACHE_DIR: join(directory, 'cache'),
		DOCKER_HOST: `tcp://127.0.0.1:${port}`,
		KUBERNAUT_K3S_IMAGE: 'kubernaut.invalid/k3s:none',
	};
}

it('an interrupt ends the wait for a pull at once, and nothing was started', async () => {
	const up = startCli(['up'], await environmentWithEngine('hangs'));
	await expect.poll(() => asked).toContain('POST /images/create');
	up.child.kill('SIGINT');
	expect(await up.exited).toBe(130);
	expect(up.errors()).toContain('Interrupted; what was started is stopped and removed.');
	expect(asked.filter((line) => line.includes('/containers'))).toEqual([]);
});

it('a pull that is refused is a problem, not the end of the search', async () => {
	const up = startCli(['up'], await environmentWithEngine('is refused'));
	expect(await up.exited).toBe(1);
	expect(up.errors()).toMatch(/^ {2}- Docker: kubernaut\.invalid\/k3s:none did not start: .*No such image/m);
	expect(up.errors()).toContain('  - Go: no `go` that works is on PATH');
});
