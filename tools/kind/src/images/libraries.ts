// The shared libraries that programs need, copied to where their loader looks for them.
import { copyFileSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProgram } from '../run-program.ts';

/** `ldd`'s lines that name a file: `libm.so.6 => /lib/x/libm.so.6 (0x…)` and `/lib64/ld-linux-x86-64.so.2 (0x…)`. */
export function librariesIn(ldd: string): string[] {
	return [...new Set([...ldd.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(([, path]) => path!))];
}

/** `root`: the programs' file system, `/` for this machine's own. */
export async function copyLibraries(programs: readonly string[], root: string, target: string): Promise<void> {
	const ldd = (program: string) => runProgram(root === '/' ? ['ldd', program] : ['chroot', root, 'ldd', program]);
	const paths = new Set((await Promise.all(programs.map(ldd))).flatMap(librariesIn));
	for (const path of paths) {
		const copy = join(target, path);
		mkdirSync(dirname(copy), { recursive: true });
		copyFileSync(realIn(root, path), copy);
	}
}

/** Links inside of another root are relative to it. */
function realIn(root: string, path: string): string {
	if (root === '/') return realpathSync(path);
	const inside = join(root, path);
	const real = realpathSync(inside);
	return real.startsWith(root) ? real : join(root, real);
}
