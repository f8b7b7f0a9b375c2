import { leasesInMemory } from '../../test/harness/leases-in-memory.ts';
import { describePresence } from '../../test/harness/presence-suite.ts';

describePresence(async () => ({ kube: leasesInMemory(), namespace: 'system' }));
