import { integrationTests } from '../../vitest.base.ts';
import { MUTANTS_AT_ONCE } from './src/mutant.ts';

export default integrationTests({
	maxConcurrency: MUTANTS_AT_ONCE,
	// A mutant may leave a rejection that nobody handles: it is broken on purpose. The exam itself runs in the apps.
	dangerouslyIgnoreUnhandledErrors: true,
});
