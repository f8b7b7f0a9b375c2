// From a clone to a workspace that runs: pnpm of the pinned version, the dependencies, a Node that is new enough.
// Safe to run again and by several at once (one sets up, the others wait); quick when nothing is missing.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDirectory } from './cache-directory.mjs';
import { codeOf } from './error-code.mjs';
import { describeHolder, withFileLock } from './file-lock.mjs';
import { startProgress } from './progress.mjs';

/** @typedef {{ pnpmDirectory: string, node: string }} Ready */
/** @typedef {{ problem: string }} Problem */

const GUARD = join(dirname(fileURLToPath(import.meta.url)), 'guard.mjs');
const OLDEST_HOST_NODE = 20;
/** @type {[number, number]} */
const OLDEST_NODE = [22, 22];

/**
 * @param {string} root
 * @param {string} pnpmVersion
 * @returns {Promise<Ready | Problem>}
 */
export async function setUp(root, pnpmVersion) {
	if (Number(process.versions.node.split('.')[0]) < OLDEST_HOST_NODE)
		return {
			problem: `Node ${OLDEST_HOST_NODE} or later is needed; this is ${process.version}. Install a newer Node and run this again.`,
		};

	const lock = join(cacheDirectory(), 'locks', 'set-up');
	const onWait = (/** @type {import('./file-lock.mjs').Holder} */ holder) => {
		console.error(`Another set-up is under way (${describeHolder(lock, holder)}); waiting for it.`);
		const progress = startProgress('Waiting for the other set-up');
		return () => progress.stop('done');
	};
	try {
		return await withFileLock(
			lock,
			async () => {
				const pnpm = await pnpmDirectory(pnpmVersion);
				if ('problem' in pnpm) return pnpm;
				const problem = await installDependencies(root, pnpm.pnpmDirectory);
				return problem ?? chooseNode(root, pnpm.pnpmDirectory);
			},
			{ onWait },
		);
	} catch (error) {
		// Our own files are all in the cache directory.
		if (!(error instanceof Error) || codeOf(error) === undefined) throw error;
		return {
			problem: `The cache directory ${cacheDirectory()} cannot be used: ${error.message}. Set KUBERNAUT_CACHE_DIR to a directory that can be written and has room, then run this again.`,
		};
	}
}

/**
 * npx takes more than a second even when it has nothing to do, so where it put pnpm is remembered.
 * @param {string} version
 * @returns {Promise<{ pnpmDirectory: string } | Problem>}
 */
async function pnpmDirectory(version) {
	const memory = join(cacheDirectory(), `pnpm-${version}.path`);
	const remembered = existsSync(memory) ? readFileSync(memory, 'utf8') : '';
	if (remembered && existsSync(join(remembered, 'pnpm'))) return { pnpmDirectory: remembered };

	// The v before the version gives these flags an npx cache entry of their own: one made without the flags (npm 12
	// blocks install scripts) holds a pnpm that turbo cannot start, and npx would use it for ever.
	const npx = [
		'-y',
		'--prefer-offline',
		'--ignore-scripts=false',
		'--allow-scripts=pnpm',
		`--package=pnpm@v${version}`,
	];
	const { code, output } = await runQuietly('npx', [...npx, '-c', 'command -v pnpm'], `Getting pnpm ${version}`);
	const found = output
		.trim()
		.split('\n')
		.findLast((line) => line.startsWith('/'));
	if (code !== 0 || found === undefined)
		return {
			problem: `${output.trim()}\n\npnpm ${version} could not be fetched. npm must be on PATH and able to reach its registry: check \`npm ping\`, then run this again.`,
		};
	mkdirSync(dirname(memory), { recursive: true });
	writeFileSync(memory, dirname(found));
	return { pnpmDirectory: dirname(found) };
}

/**
 * @param {string} root
 * @param {string} directory
 * @returns {Promise<Problem | undefined>}
 */
async function installDependencies(root, directory) {
	const path = [directory, process.env['PATH']].join(delimiter);
	const { code, output } = await runQuietly(join(directory, 'pnpm'), ['install'], 'Installing the dependencies', {
		cwd: root,
		env: { ...process.env, PATH: path },
	});
	if (code === 0) return undefined;
	return {
		problem: `${output.trim()}\n\nThe dependencies could not be installed (the lines above say why). With no network, or a registry that does not answer, run this again when it does: what was fetched is kept.`,
	};
}

/**
 * @param {string} root
 * @param {string} directory
 * @returns {Ready | Problem}
 */
function chooseNode(root, directory) {
	const bundled = join(root, 'node_modules', '.bin', 'node');
	const node = existsSync(bundled) ? bundled : process.execPath;
	const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
	const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
	if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]))
		return { pnpmDirectory: directory, node };
	// Dependencies that were installed with a newer Node came without one that could stand in.
	return {
		problem: `The libraries need Node ${OLDEST_NODE.join('.')} or later; this host has ${process.version}. Remove node_modules and run this again: a Node that can stand in is installed then. If npm has none for ${process.platform}/${process.arch} (on Linux it needs glibc), install Node ${OLDEST_NODE.join('.')} or later.`,
	};
}

/**
 * Output is shown only when it matters: on failure. The program ends with us: the next set-up finds no process at work.
 * @param {string} program
 * @param {string[]} args
 * @param {string} what
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
function runQuietly(program, args, what, options = {}) {
	const progress = startProgress(what);
	return new Promise((resolve) => {
		const child = spawn(process.execPath, [GUARD, program, ...args], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
		let output = '';
		const collect = (/** @type {Buffer} */ chunk) => (output += chunk.toString());
		child.stdout?.on('data', collect);
		child.stderr?.on('data', collect);
		child.on('error', (error) => {
			progress.stop('failed');
			resolve({ code: 1, output: `${output}\n${program}: ${error.message}` });
		});
		child.on('close', (code) => {
			progress.stop(code === 0 ? 'done' : 'failed');
			resolve({ code: code ?? 1, output });
		});
	});
}
