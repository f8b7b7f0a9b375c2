import { integrationTests } from '../../vitest.base.ts';

export default integrationTests();
