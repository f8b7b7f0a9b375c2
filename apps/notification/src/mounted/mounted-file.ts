// A file of a mounted Secret or ConfigMap, read again when it changed. The kubelet replaces all files of a volume by turning
// one symbolic link to another directory: the path stays, the file behind it is another one, and what it is shows in its
// inode and times. So the file is looked at before each use; no watch can be lost.
import { readFileSync, statSync } from 'node:fs';

const MAX_BYTES = 1_048_576;

export type MountedFile<T> = {
	readonly path: string;
	/** Never throws. A problem names the file, never what it holds. */
	read(): { readonly value: T } | { readonly problem: string };
};

/** `parse` returns a problem as text that does not quote the content. */
export function mountedFile<T>(
	path: string,
	parse: (content: string) => { readonly value: T } | { readonly problem: string },
): MountedFile<T> {
	let known: { readonly version: string; readonly result: ReturnType<MountedFile<T>['read']> } | undefined;
	return {
		path,
		read() {
			try {
				const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
				const version = [dev, ino, size, mtimeNs, ctimeNs].join(' ');
				if (known?.version === version) return known.result;
				if (size > MAX_BYTES) return { problem: `${path} has more than ${MAX_BYTES} bytes` };
				const parsed = parse(readFileSync(path, 'utf8'));
				const result = 'problem' in parsed ? { problem: `${path} ${parsed.problem}` } : parsed;
				known = { version, result };
				return result;
			} catch (error) {
				const { code = 'unknown fault' } = error as NodeJS.ErrnoException;
				return { problem: `${path} cannot be read: ${code}` };
			}
		},
	};
}
