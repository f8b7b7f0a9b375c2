import { integrationTests } from '../../vitest.base.ts';
import { GO_MODULES } from './src/parts/build-part.ts';
import { canHaveParts } from './src/parts/can-have-parts.ts';
import { findGo } from './src/parts/go-toolchain.ts';
import type { PartName } from './src/parts/parts.ts';
import { TEKTON_PLATFORM } from './src/tekton/start-tekton.ts';

// A machine with nothing but Docker, or nothing but the two binaries, is supported. These tests concern programs that
// are built from source, which is not possible there; so they are left out, and a line says so.
const SMALL: PartName[] = ['kube-apiserver', 'etcd'];
const NEEDS: Record<string, readonly PartName[]> = {
	'control-plane': SMALL,
	'part-switch': SMALL,
	owner: SMALL,
	'named-server': SMALL,
	'stored-history': SMALL,
	cli: SMALL,
	parts: ['alertmanager', 'toxiproxy'],
	prometheus: ['prometheus', 'promtool'],
	tekton: [...SMALL, ...TEKTON_PLATFORM],
};
const parts = [...new Set(Object.values(NEEDS).flat())];
const had = await Promise.all(parts.map((part) => canHaveParts([part])));
const missing = new Set(parts.filter((_, i) => !had[i]));
const withoutGo = Object.keys(NEEDS).filter((name) => NEEDS[name]?.some((part) => missing.has(part)));
if (!('go' in (await findGo(`${GO_MODULES}/toxiproxy`)))) withoutGo.push('build');
if (withoutGo.length > 0) console.log(`Left out, because Go is missing or too old here: ${withoutGo.join(', ')}`);
const onRequest = process.env['KUBERNAUT_ALL_PARTS'] ? [] : ['prometheus'];

export default integrationTests({
	globalSetup: [], // they start their own
	exclude: [...withoutGo, ...onRequest].map((name) => `test/${name}.int.test.ts`),
	fileParallelism: false, // they measure time, and a control plane takes both cores of a small machine
	testTimeout: 300_000, // only for what hangs: starts have minutes on a busy machine
	hookTimeout: 1_800_000, // on a new machine, the first hook builds Kubernetes
});
