// A base image without a registry: the Node that runs us and the libraries that it wants, from this machine, on an empty
// file system. No shell, no package manager. Linux with glibc only (Debian and its like).
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { docker } from './docker.ts';
import { localName } from './local-name.ts';

const NODE = '/usr/local/bin/node';

export const LOCAL_BASE_IMAGE = localName(`node-base:${process.versions.node}`);

/** Returns its name. */
export async function makeBaseImage(signal?: AbortSignal): Promise<string> {
	const root = mkdtempSync(join(tmpdir(), 'kubernaut-base-'));
	try {
		layOut(root);
		const tar = spawn('tar', ['-C', root, '--sort=name', '--owner=0', '--group=0', '--mtime=@0', '-c', '.'], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const changes = ['ENV PATH=/usr/local/bin', `ENV NODE_VERSION=${process.versions.node}`];
		const args = ['import', ...changes.flatMap((change) => ['--change', change]), '-', LOCAL_BASE_IMAGE];
		await docker(args, { waitingFor: `Importing ${LOCAL_BASE_IMAGE}`, input: tar.stdout, ...(signal && { signal }) });
		return LOCAL_BASE_IMAGE;
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

function layOut(root: string): void {
	if (process.platform !== 'linux') throw new Error('A local base image can be made on Linux only: pass --base-image.');
	place(root, realpathSync(process.execPath), NODE);
	for (const library of librariesOf(process.execPath)) {
		place(root, realpathSync(library), library);
		const copyright = copyrightOf(library);
		if (copyright !== undefined) place(root, copyright, copyright);
	}
	for (const [path, text] of Object.entries({
		'etc/passwd': 'root:x:0:0:root:/root:/sbin/nologin\napp:x:10001:10001:app:/app:/sbin/nologin\n',
		'etc/group': 'root:x:0:\napp:x:10001:\n',
		'etc/nsswitch.conf': 'hosts: files dns\n', // without it glibc asks DNS for localhost first
	})) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), text);
	}
	mkdirSync(join(root, 'tmp'), { mode: 0o1777 });
}

function place(root: string, from: string, to: string): void {
	mkdirSync(dirname(join(root, to)), { recursive: true });
	copyFileSync(from, join(root, to));
}

function librariesOf(program: string): string[] {
	const lines = execFileSync('ldd', [program], { encoding: 'utf8' }).split('\n');
	return lines.flatMap((line) => /(?:=>\s*)?(\/\S+)\s+\(0x/.exec(line)?.[1] ?? []);
}

/** Where Debian keeps the licence of the package that a file is from. */
function copyrightOf(library: string): string | undefined {
	try {
		const owner = execFileSync('dpkg', ['-S', realpathSync(library)], { encoding: 'utf8', stdio: 'pipe' }).split(
			':',
		)[0];
		const file = `/usr/share/doc/${owner}/copyright`;
		return existsSync(file) ? file : undefined;
	} catch {
		return undefined; // not a Debian: its licences are the machine's owner's to pass on
	}
}
