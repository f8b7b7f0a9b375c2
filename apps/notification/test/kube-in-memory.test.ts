import { describeKubeCalls } from './harness/kube-calls.ts';
import { KubeInMemory } from './harness/kube-in-memory.ts';

const kube = new KubeInMemory();
describeKubeCalls('in memory', async () => ({ kube, namespace: 'n' }));
