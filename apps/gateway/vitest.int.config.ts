import { integrationTests } from '../../vitest.base.ts';

// A file starts several processes; two files at once would take each other's time.
export default integrationTests({ fileParallelism: false });
