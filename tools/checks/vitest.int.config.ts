import { integrationTests } from '../../vitest.base.ts';

export default integrationTests({ globalSetup: [] }); // the runs that are tested start their own control planes
