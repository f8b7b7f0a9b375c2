import { integrationTests } from '../../vitest.base.ts';
import { MUTANTS_AT_ONCE } from './src/mutants/mutant.ts';
import { swallowMutantErrors } from './src/mutants/mutant-errors.ts';

export default integrationTests({
	maxConcurrency: MUTANTS_AT_ONCE,
	onUnhandledError: swallowMutantErrors(),
});
