import { describe, expect, it } from 'vitest';
import { constantCase, kebabCase, pascalCase, plural, singular } from './names.ts';

describe('names', () => {
	it.each([
		['RemediationRequest', 'remediation-request', 'REMEDIATION_REQUEST'],
		['WorkflowExecutionPhase', 'workflow-execution-phase', 'WORKFLOW_EXECUTION_PHASE'],
		['Kind', 'kind', 'KIND'],
	])('%s is %s in files and %s in constants', (name, wantFile, wantConstant) => {
		expect([kebabCase(name), constantCase(name)]).toEqual([wantFile, wantConstant]);
	});

	it.each([
		['Phase', 'Phases'],
		['Priority', 'Priorities'],
		['Status', 'Statuses'],
		['Key', 'Keys'],
	])('more than one %s are %s', (one, wantMany) => {
		expect(plural(one)).toBe(wantMany);
	});

	it.each([
		['conditions', 'condition'],
		['deliveries', 'delivery'],
		['data', 'data'],
	])('one of %s is a %s', (many, wantOne) => {
		expect(singular(many)).toBe(wantOne);
	});

	it('begins types with a capital', () => {
		expect(pascalCase('signalType')).toBe('SignalType');
	});
});
