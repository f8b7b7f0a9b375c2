// A URL in a mounted file. It may be a secret as a whole, so problems do not quote it.
import { type MountedFile, mountedFile } from '../../mounted/mounted-file.ts';

export function secretUrlFile(path: string): MountedFile<URL> {
	return mountedFile(path, (content) => {
		const url = URL.parse(content.trim());
		if (url === null) return { problem: 'holds no URL' };
		if (url.protocol !== 'https:') return { problem: 'holds a URL that is not https://' };
		if (url.username !== '' || url.password !== '')
			return { problem: 'holds a URL with a user name or password: remove it' };
		return { value: url };
	});
}
