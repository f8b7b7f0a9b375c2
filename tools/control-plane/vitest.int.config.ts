import { integrationTests } from '../../vitest.base.ts';
import { GO_MODULES } from './src/parts/build-part.ts';
import { findPart } from './src/parts/find-part.ts';
import { findGo } from './src/parts/go-toolchain.ts';
import { PART_NAMES, PARTS, type PartName } from './src/parts/parts.ts';

// A machine with nothing but Docker, or nothing but the two binaries, is supported. These tests concern programs that
// are built from source, which is not possible there; so they are left out, and a line says so.
const directories = new Set(PART_NAMES.map((name) => `${GO_MODULES}/${PARTS[name].directory}`));
const searches = await Promise.all([...directories].map((directory) => findGo(directory)));
const canBuild = searches.every((search) => 'go' in search);
const canHave = (...names: PartName[]) => canBuild || names.every((name) => 'found' in findPart(name));
const withoutGo = [
	...(canHave('kube-apiserver', 'etcd') ? [] : ['control-plane', 'api-server-switch', 'owner', 'named-server', 'cli']),
	...(canHave('alertmanager', 'toxiproxy') ? [] : ['parts']),
	...(canHave('prometheus', 'promtool') ? [] : ['prometheus']),
	...(canBuild ? [] : ['build']),
];
if (withoutGo.length > 0) console.log(`Left out, because Go is missing or too old here: ${withoutGo.join(', ')}`);
const onRequest = process.env['KUBERNAUT_ALL_PARTS'] ? [] : ['prometheus'];

export default integrationTests({
	globalSetup: [], // they start their own
	exclude: [...withoutGo, ...onRequest].map((name) => `test/${name}.int.test.ts`),
	fileParallelism: false, // they measure time, and a control plane takes both cores of a small machine
	testTimeout: 300_000, // only for what hangs: starts have minutes on a busy machine
	hookTimeout: 1_800_000, // on a new machine, the first hook builds Kubernetes
});
