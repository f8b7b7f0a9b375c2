import { integrationTests } from '../../vitest.base.ts';
import { engineVersion } from './src/docker.ts';

// Images are examined in containers. Where no engine answers that cannot be done; so those tests are left out, and a line
// says so.
const engine = await engineVersion().catch(() => undefined);
if (engine === undefined) console.log('Left out, because no Docker engine answers here: image');

process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true'; // its own container would have to be pulled; we stop ours
process.env['TESTCONTAINERS_HOST_OVERRIDE'] ??= '127.0.0.1'; // the host's network: there is no bridge to look for

export default integrationTests({
	exclude: engine === undefined ? ['test/image.int.test.ts'] : [],
	fileParallelism: false, // they measure time
	testTimeout: 120_000,
	hookTimeout: 600_000,
});
