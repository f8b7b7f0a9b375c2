import { expect, it } from 'vitest';
import { librariesIn } from './libraries.ts';

it('the files that ldd names are found, each once; what the kernel provides is not a file', () => {
	const ldd = [
		'\tlinux-vdso.so.1 (0x00007ffd)',
		'\tlibdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007f1)',
		'\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f2)',
		'\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f3)',
		'\t/lib64/ld-linux-x86-64.so.2 (0x00007f4)',
	].join('\n');
	expect(librariesIn(ldd)).toEqual([
		'/lib/x86_64-linux-gnu/libdl.so.2',
		'/lib/x86_64-linux-gnu/libm.so.6',
		'/lib64/ld-linux-x86-64.so.2',
	]);
});
