// The same facts as in the unit test, on a real API server: its versions and preconditions are what they rest on.
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { afterAll, inject } from 'vitest';
import { createKubeClient, loadKubeConfig } from '../src/kube/kube.ts';
import { describePresence } from './harness/presence-suite.ts';

const kube = createKubeClient(loadKubeConfig(inject('controlPlane').kubeconfigPath), 10_000, { called() {} });
afterAll(() => kube.close());

describePresence(async () => ({ kube, namespace: await createNamespace(adminApi(), 'presence') }));
